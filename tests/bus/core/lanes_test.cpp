/// Copies of records in a daemon: bounds, age, and turns of sources by bytes.
#include "bus/core/lanes.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>

#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;

class SourceQueuesTest : public testing::Test {
 protected:
  /// A record of `size` bytes in all, whose text tells its source.
  bool push(std::uint64_t source, std::size_t size, Lane lane = Lane::call, Time now = {}) {
    Bytes payload(size - kRecordHeader);
    store(payload.data(), source);
    return queues.push(lane, source, Kind::query, payload, now);
  }
  /// Sources of what comes next, up to about `budget` bytes.
  std::vector<std::uint64_t> pull(std::size_t budget, Lane lane = Lane::call) {
    Bytes out;
    last = queues.fill_bundle(lane, budget, out);
    EXPECT_EQ(last.bytes, out.size());
    std::vector<std::uint64_t> sources;
    for (const WireRecord& record : cut_records(out)) {
      sources.push_back(load<std::uint64_t>(record.payload.data()));
    }
    return sources;
  }
  SourceQueues queues;
  FillResult last;
};

TEST_F(SourceQueuesTest, KeepTheOrderOfASource) {
  for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(push(1, 100 + i));
  std::size_t expected = 100;
  while (queues.ready(Lane::call)) {
    Bytes out;
    queues.fill_bundle(Lane::call, 1'000, out);
    for (const WireRecord& record : cut_records(out)) {
      EXPECT_EQ(kRecordHeader + record.payload.size(), expected++);
    }
  }
  EXPECT_EQ(expected, 200u);
  EXPECT_EQ(queues.bytes(), 0u);
}

TEST_F(SourceQueuesTest, RefuseBeyondTheLimitOfTheLane) {
  const std::size_t half = kDaemonQueue / 2;
  ASSERT_TRUE(push(1, half));
  ASSERT_TRUE(push(2, half));
  EXPECT_EQ(queues.bytes(Lane::call), kDaemonQueue);
  EXPECT_FALSE(push(3, 100));
  EXPECT_TRUE(push(3, 100, Lane::sync)) << "another lane has room";
  EXPECT_TRUE(push(3, 100, Lane::control));
  pull(1);
  EXPECT_TRUE(push(3, 100));
}

TEST_F(SourceQueuesTest, ARecordLargerThanTheLimitGoesAlone) {
  EXPECT_TRUE(push(1, kDaemonQueue + 1));
  EXPECT_FALSE(push(1, 100));
  pull(1);
  EXPECT_TRUE(last.large);
  EXPECT_TRUE(push(1, 100));
  EXPECT_FALSE(push(1, kDaemonQueue + 1));
}

TEST_F(SourceQueuesTest, ControlHasALimitOfItsOwn) {
  for (std::uint64_t i = 0; i < kControlQueue / kDaemonQueue; ++i) {
    ASSERT_TRUE(push(1, kDaemonQueue, Lane::control));
  }
  EXPECT_FALSE(push(1, 100, Lane::control));
}

TEST_F(SourceQueuesTest, ManyLinksShareABound) {
  std::size_t total = 0;
  std::vector<std::unique_ptr<SourceQueues>> links;
  const Bytes payload(kDaemonQueue - kRecordHeader);
  const auto fill = [&] {
    std::size_t full = 0;
    while (full < 1'000) {
      auto& link = links.emplace_back(std::make_unique<SourceQueues>());
      link->count_into(total);
      if (!link->push(Lane::call, 1, Kind::query, payload, {})) break;
      ++full;
    }
    return full;
  };
  EXPECT_EQ(fill(), kQueuesTotal / kDaemonQueue);
  EXPECT_EQ(total, kQueuesTotal);
  EXPECT_TRUE(links.back()->push(Lane::control, 1, Kind::query, Bytes(100), {}));
  links.erase(links.begin(), links.begin() + 2);
  EXPECT_EQ(total, kQueuesTotal - 2 * kDaemonQueue);
  EXPECT_EQ(fill(), 2u);
  links.clear();
  EXPECT_EQ(total, 0u);
}

TEST_F(SourceQueuesTest, ALargeRecordComesAlone) {
  ASSERT_TRUE(push(1, 100));
  ASSERT_TRUE(push(1, kChunk + 1));
  ASSERT_TRUE(push(1, 100));
  EXPECT_THAT(pull(1'000'000), ElementsAre(1));
  EXPECT_FALSE(last.large);
  EXPECT_THAT(pull(1'000'000), ElementsAre(1));
  EXPECT_TRUE(last.large);
  EXPECT_THAT(pull(1'000'000), ElementsAre(1));
}

TEST_F(SourceQueuesTest, DropWhatIsTooOldAndSayIt) {
  ASSERT_TRUE(push(1, 100, Lane::call, from_ms(1'000)));
  ASSERT_TRUE(push(1, 200, Lane::call, from_ms(5'000)));
  ASSERT_TRUE(push(2, 300, Lane::bulk, from_ms(1'000)));
  ASSERT_TRUE(push(2, 400, Lane::control, from_ms(1'000)));
  std::vector<std::size_t> dropped;
  const auto note = [&](ByteView record) { dropped.push_back(record.size()); };
  queues.expire(1'000ms + kQueueAge, note);
  EXPECT_TRUE(dropped.empty());
  queues.expire(1'001ms + kQueueAge, note);
  EXPECT_THAT(dropped, ElementsAre(100, 300));
  EXPECT_EQ(queues.bytes(), 600u) << "control does not age";
  EXPECT_EQ(pull(1'000).size(), 1u);
}

TEST_F(SourceQueuesTest, AgeSurvivesTheWrapOfTheStamp) {
  const Time start = from_ms((std::uint64_t{1} << 32) - 2'000);
  ASSERT_TRUE(push(1, 100, Lane::call, start));
  int dropped = 0;
  queues.expire(start + kQueueAge, [&](ByteView) { ++dropped; });
  EXPECT_EQ(dropped, 0);
  queues.expire(start + kQueueAge + 1ms, [&](ByteView) { ++dropped; });
  EXPECT_EQ(dropped, 1);
}

TEST_F(SourceQueuesTest, ClearForgetsEverything) {
  for (const Lane lane : {Lane::control, Lane::call, Lane::bulk}) ASSERT_TRUE(push(1, 100, lane));
  queues.clear();
  EXPECT_EQ(queues.bytes(), 0u);
  EXPECT_FALSE(queues.ready(Lane::call));
  EXPECT_TRUE(pull(1'000).empty());
}

/// Every source always has more to send, in records of its own size.
std::map<std::uint64_t, std::size_t> shares(const std::map<std::uint64_t, std::size_t>& sizes,
                                            std::size_t budget, std::size_t total) {
  SourceQueues queues;
  std::map<std::uint64_t, std::size_t> waiting;
  std::map<std::uint64_t, std::size_t> bytes;
  std::size_t sum = 0;
  while (sum < total) {
    for (const auto& [source, size] : sizes) {
      while (waiting[source] < std::max<std::size_t>(2 * size, 200'000)) {
        Bytes payload(size - kRecordHeader);
        store(payload.data(), source);
        if (!queues.push(Lane::call, source, Kind::query, payload, {})) break;
        waiting[source] += size;
      }
    }
    Bytes out;
    queues.fill_bundle(Lane::call, budget, out);
    for (const WireRecord& record : cut_records(out)) {
      const auto source = load<std::uint64_t>(record.payload.data());
      const std::size_t size = record.payload.size() + kRecordHeader;
      bytes[source] += size;
      waiting[source] -= size;
      sum += size;
    }
  }
  return bytes;
}

TEST(SourceTurns, AreByBytesWhateverTheSizeOfTheRecords) {
  for (const std::size_t budget : {std::size_t{8 * 1024}, std::size_t{32 * 1024}}) {
    const auto bytes =
        shares({{1, 100}, {2, 1'000}, {3, 20'000}, {4, 60'000}, {5, 300'000}}, budget, 40'000'000);
    for (const auto& [source, share] : bytes) {
      EXPECT_NEAR(static_cast<double>(share), 8e6, 1e6) << "source " << source << " at " << budget;
    }
  }
}

TEST(SourceTurns, ALoneSourceNeverWaits) {
  const auto bytes = shares({{1, 1'000'000}}, 8 * 1024, 20'000'000);
  EXPECT_GE(bytes.at(1), 20'000'000u);
}

}  // namespace
}  // namespace starbus::bus
