/// Copies of records in a daemon: bounds, age, and turns of sources by bytes.
#include "bus/core/lanes.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>

#include "bus/core/routers/accounts.hpp"
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
  Accounts accounts;
  const AccountId one = accounts.join("one");
  std::vector<std::unique_ptr<SourceQueues>> links;
  const Bytes payload(kDaemonQueue - kRecordHeader);
  const auto fill = [&](AccountId account) {
    std::size_t full = 0;
    while (full < 1'000) {
      auto& link = links.emplace_back(std::make_unique<SourceQueues>());
      link->count_into(accounts);
      if (!link->push(Lane::call, {1, account}, Kind::query, payload, {})) break;
      ++full;
    }
    return full;
  };
  const std::size_t share = fill(one);
  EXPECT_EQ(share, kQueuesTotal / kDaemonQueue * kShare / (kShare + 1) + 1);
  EXPECT_EQ(accounts.queued(one), share * kDaemonQueue);
  EXPECT_TRUE(links.back()->push(Lane::control, {1, one}, Kind::query, Bytes(100), {}));
  EXPECT_EQ(fill(accounts.join("another")), kQueuesTotal / kDaemonQueue - share);
  EXPECT_EQ(accounts.queued(), kQueuesTotal);
  links.erase(links.begin(), links.begin() + 2);
  EXPECT_EQ(accounts.queued(), kQueuesTotal - 2 * kDaemonQueue);
  links.clear();
  EXPECT_EQ(accounts.queued(), 0u);
}

TEST_F(SourceQueuesTest, AnEmptyLinkHasRoomWhateverOthersHold) {
  Accounts accounts;
  const AccountId one = accounts.join("one");
  const AccountId two = accounts.join("two");
  std::vector<std::unique_ptr<SourceQueues>> links;
  const Bytes payload(kDaemonQueue - kRecordHeader);
  for (std::size_t i = 0; i < kQueuesTotal / kDaemonQueue; ++i) {
    auto& link = links.emplace_back(std::make_unique<SourceQueues>());
    link->count_into(accounts);
    (void)link->push(Lane::call, {1, i % 9 == 8 ? two : one}, Kind::query, payload, {});
  }
  SourceQueues empty;
  empty.count_into(accounts);
  EXPECT_TRUE(empty.push(Lane::call, {2, one}, Kind::query, Bytes(1'000), {}));
  EXPECT_TRUE(empty.push(Lane::call, {2, one}, Kind::query, Bytes(1'000), {}));
  links.clear();
  empty.clear();
}

TEST_F(SourceQueuesTest, AFullLaneTakesTheRecordsOfANewcomer) {
  const Bytes small(1'000);
  while (queues.push(Lane::call, {1, 1}, Kind::query, small, {})) continue;
  EXPECT_GT(queues.bytes(Lane::call), kDaemonQueue * 8 / 10) << "alone, it gets nearly all";
  for (std::uint64_t link = 2; link < 100; ++link) {
    EXPECT_FALSE(queues.push(Lane::call, {link, 1}, Kind::query, small, {}))
        << "more sessions are not more room";
  }
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(queues.push(Lane::call, {1'000, 2}, Kind::query, small, {}));
  }
  EXPECT_TRUE(queues.push(Lane::call, {2'000, 3}, Kind::query, Bytes(4'000'000), {}))
      << "one record of a newcomer, however large";
}

TEST_F(SourceQueuesTest, RepliesTakeNoRoomOfOtherControlRecords) {
  Bytes reply(kRecordHeader + 60);
  store(reply.data(), static_cast<std::uint32_t>(reply.size() - sizeof(std::uint32_t)));
  while (queues.push_reply({1, 1}, reply, {})) continue;
  EXPECT_LE(queues.bytes(Lane::control), kReplyRoom);
  EXPECT_TRUE(queues.push_reply({2, 2}, reply, {})) << "another account has its share";
  EXPECT_TRUE(push(0, 1'000, Lane::control));
  EXPECT_GT(pull(kReplyRoom * 2, Lane::control).size(), 1'000u);
  EXPECT_EQ(queues.bytes(), 0u);
  EXPECT_TRUE(queues.push_reply({1, 1}, reply, {}));
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
