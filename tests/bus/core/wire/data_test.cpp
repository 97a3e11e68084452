/// DATA, MULTICAST and CHUNK: what is written is read back, and liars are refused.
#include "bus/core/wire/data.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bus/core/limits.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

const Process kOrigin{1, 2, 3};
const ChannelId kTarget{4, 5};

struct Item3 {
  std::uint32_t step;
  bool tombstone;
  std::string body;
};

Bytes items_of(const std::vector<Item3>& items) {
  Bytes bytes;
  Writer writer(bytes);
  for (const Item3& item : items) {
    writer.put(item.tombstone ? kTombstone : static_cast<std::uint32_t>(item.body.size()));
    writer.put(item.step);
    if (!item.tombstone) writer.bytes(as_bytes(item.body));
  }
  return bytes;
}

Bytes run_payload(const std::vector<Item3>& items, std::uint64_t prev = 6, std::uint64_t seq = 7,
                  Lane lane = Lane::sync) {
  const Bytes encoded = items_of(items);
  Bytes out;
  encode_run(
      {lane, static_cast<std::uint16_t>(items.size()), kOrigin, kTarget, {8}, prev, seq, encoded},
      out);
  return {out.begin() + kRecordHeader, out.end()};
}

TEST(RunCoding, IsReadBack) {
  const Bytes payload = run_payload({{0, false, "a"}, {1, true, ""}, {5, false, ""}});
  const auto run = decode_run(payload);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lane, Lane::sync);
  EXPECT_EQ(run->origin, kOrigin);
  EXPECT_EQ(run->channel, kTarget);
  EXPECT_EQ(run->lineage.value, 8u);
  const std::vector<WireMessage> expected = {{6, 7, "a"}, {7, 8, "<tombstone>"}, {8, 13, ""}};
  EXPECT_EQ(messages_of(*run), expected);
}

TEST(RunCoding, TakesTheStampOfABusd) {
  Bytes payload = run_payload({{0, false, "a"}});
  stamp_origin(payload.data() + kOriginOffset, {9, 8, 7});
  EXPECT_EQ(load_origin(payload.data() + kOriginOffset), (Process{9, 8, 7}));
  EXPECT_EQ(decode_run(payload)->origin, (Process{9, 8, 7}));
}

TEST(RunCoding, RefusesLiars) {
  const auto refused = [](const Bytes& payload) { return !decode_run(payload).has_value(); };
  EXPECT_TRUE(refused(run_payload({}))) << "no message";
  EXPECT_TRUE(refused(run_payload({{1, false, "a"}}))) << "a step before the first";
  EXPECT_TRUE(refused(run_payload({{0, false, "a"}, {0, false, "b"}}))) << "no step";
  EXPECT_TRUE(refused(run_payload({{0, false, "a"}}, 0, 0))) << "sequence 0";
  EXPECT_TRUE(refused(run_payload({{0, false, "a"}}, 7, 7))) << "its own predecessor";
  EXPECT_TRUE(refused(run_payload({{0, false, "a"}}, 6, 7, Lane::control))) << "control lane";
  EXPECT_TRUE(refused(run_payload({{0, false, "a"}, {1, false, "b"}}, 6, ~std::uint64_t{0})))
      << "sequences wrap";
  Bytes tombstone = run_payload({{0, false, "abc"}});
  store(tombstone.data() + kRunHeader, kTombstone | 3);
  EXPECT_TRUE(refused(tombstone)) << "a tombstone with a body";
  Bytes count = run_payload({{0, false, "a"}});
  store(count.data() + 2, std::uint16_t{2});
  EXPECT_TRUE(refused(count)) << "more than there is";
  Bytes size = run_payload({{0, false, "a"}});
  store(size.data() + kRunHeader, std::uint32_t{0x7fff'ffff});
  EXPECT_TRUE(refused(size));
}

rc::Gen<std::vector<Item3>> any_items() {
  return rc::gen::exec([] {
    std::vector<Item3> items(*rc::gen::inRange<std::size_t>(1, 8));
    for (Item3& item : items) {
      item.step = &item == items.data() ? 0 : *rc::gen::inRange(1U, 0xffff'ffffU);
      item.tombstone = *rc::gen::arbitrary<bool>();
      item.body = item.tombstone ? "" : *rc::gen::arbitrary<std::string>();
    }
    return items;
  });
}

RC_GTEST_PROP(RunCoding, RefusesEveryTruncationAndExtension, ()) {
  Bytes payload = run_payload(*any_items());
  RC_ASSERT(decode_run(payload).has_value());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    RC_ASSERT(!decode_run(ByteView(payload).first(size)).has_value());
  }
  payload.push_back({});
  RC_ASSERT(!decode_run(payload).has_value());
}

RC_GTEST_PROP(RunCoding, SequencesOnlyGrowInWhateverIsAccepted, ()) {
  Bytes payload = run_payload(*any_items());
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
    payload[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  }
  const auto run = decode_run(payload);
  if (!run) return;
  RunReader reader(*run);
  std::uint64_t before = run->prev;
  int count = 0;
  while (const auto item = reader.next()) {
    RC_ASSERT(item->prev == before);
    RC_ASSERT(item->seq > before);
    before = item->seq;
    ++count;
  }
  RC_ASSERT(count == run->count);
}

Bytes multicast_payload(const Multicast& multicast) {
  Bytes out;
  encode_multicast(multicast, out);
  return {out.begin() + kRecordHeader, out.end()};
}

TEST(MulticastCoding, IsReadBack) {
  const Bytes payload = multicast_payload(
      {Lane::bulk, kOrigin, {{kTarget, {8}, 0, 1}, {{6, 7}, {9}, 1, 2}}, as_bytes("body")});
  const auto multicast = decode_multicast(payload);
  ASSERT_TRUE(multicast);
  EXPECT_EQ(multicast->lane, Lane::bulk);
  EXPECT_EQ(multicast->origin, kOrigin);
  ASSERT_EQ(multicast->targets.size(), 2u);
  EXPECT_EQ(multicast->targets[1].channel, (ChannelId{6, 7}));
  EXPECT_EQ(multicast->targets[1].lineage.value, 9u);
  EXPECT_EQ(multicast->targets[1].prev, 1u);
  EXPECT_EQ(multicast->targets[1].seq, 2u);
  EXPECT_EQ(as_text(multicast->body), "body");
}

TEST(MulticastCoding, RefusesLiars) {
  const auto refused = [](const Bytes& payload) { return !decode_multicast(payload).has_value(); };
  const Target target{kTarget, {8}, 0, 1};
  EXPECT_TRUE(refused(multicast_payload({Lane::bulk, kOrigin, {}, {}}))) << "nobody";
  EXPECT_TRUE(refused(multicast_payload({Lane::control, kOrigin, {target}, {}})));
  EXPECT_TRUE(refused(multicast_payload({Lane::bulk, kOrigin, {{kTarget, {8}, 0, 0}}, {}})));
  EXPECT_TRUE(refused(multicast_payload({Lane::bulk, kOrigin, {{kTarget, {8}, 3, 3}}, {}})));
  EXPECT_FALSE(refused(
      multicast_payload({Lane::bulk, kOrigin, std::vector<Target>(kMaxGroup, target), {}})));
  EXPECT_TRUE(refused(
      multicast_payload({Lane::bulk, kOrigin, std::vector<Target>(kMaxGroup + 1, target), {}})));
  const Bytes payload = multicast_payload({Lane::bulk, kOrigin, {target, target}, {}});
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const ByteView part = ByteView(payload).first(size);
    EXPECT_TRUE(refused(Bytes(part.begin(), part.end())));
  }
}

TEST(ChunkCoding, IsReadBack) {
  for (const bool first : {false, true}) {
    for (const bool last : {false, true}) {
      Bytes out;
      encode_chunk({Lane::call, first, last, first ? 100'000U : 0U, as_bytes("piece")}, out);
      const auto chunk = decode_chunk(ByteView(out).subspan(kRecordHeader));
      ASSERT_TRUE(chunk);
      EXPECT_EQ(chunk->lane, Lane::call);
      EXPECT_EQ(chunk->first, first);
      EXPECT_EQ(chunk->last, last);
      EXPECT_EQ(chunk->total, first ? 100'000u : 0u);
      EXPECT_EQ(as_text(chunk->bytes), "piece");
    }
  }
}

TEST(ChunkCoding, RefusesLiars) {
  const auto refused = [](std::vector<std::uint8_t> raw) {
    return !decode_chunk(std::as_bytes(std::span(raw))).has_value();
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({1}));
  EXPECT_TRUE(refused({1, 2})) << "no bytes";
  EXPECT_TRUE(refused({4, 2, 9})) << "no such lane";
  EXPECT_TRUE(refused({1, 4, 9})) << "no such flag";
  EXPECT_TRUE(refused({1, 1, 0, 0, 0, 0, 9})) << "a record of nothing";
  EXPECT_TRUE(refused({1, 1, 0, 0, 0, 0xff, 9})) << "larger than any record";
  EXPECT_TRUE(refused({1, 1, 5, 0, 0})) << "torn";
  EXPECT_FALSE(refused({1, 1, 5, 0, 0, 0, 9}));
}

}  // namespace
}  // namespace starbus::bus
