/// The parts of an Origin: shared bodies, the arithmetic of a stream, the table of streams.
#include <gtest/gtest.h>

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {
namespace {

TEST(SharedBodiesTest, KeepsABodyUntilTheLastHolderDropsIt) {
  SharedBodies bodies;
  const SharedBodies::Place place = bodies.add(as_bytes("he"), as_bytes("llo"));
  EXPECT_EQ(as_text(bodies.bytes(place)), "hello");
  bodies.hold(place);
  bodies.drop(place);
  EXPECT_EQ(bodies.total(), 5u);
  bodies.drop(place);
  EXPECT_EQ(bodies.total(), 0u);
  EXPECT_EQ(bodies.add({}, as_bytes("x")), place) << "places are used again";
}

TEST(ExpiryStampTest, ComparesAcrossTheWrap) {
  const ExpiryStamp before = 0xffff'fff0;
  const ExpiryStamp after = 0x10;
  EXPECT_TRUE(has_passed(before, after));
  EXPECT_FALSE(has_passed(after, before));
  EXPECT_EQ(earlier_expiry(before, after), before);
  EXPECT_EQ(earlier_expiry(0, after), after);
  EXPECT_FALSE(has_passed(0, after)) << "0 never passes";
  EXPECT_NE(expiry_stamp(Time{}), 0u);
}

TEST(OriginStreamTest, SlowsDownAndSpeedsUpWithReleases) {
  OriginStream stream;
  stream.cursor_bytes = 4 * kLeastInFlight;
  stream.slow_down();
  EXPECT_EQ(stream.most_in_flight, 2 * kLeastInFlight);
  stream.speed_up(800);
  EXPECT_EQ(stream.most_in_flight, 2 * kLeastInFlight + 100);
  stream.speed_up(8 * kChannelWindow);
  EXPECT_EQ(stream.most_in_flight, OriginStream::kNoLimit);
}

TEST(OriginStreamTest, SmoothsItsRoundTrip) {
  OriginStream stream;
  stream.timed_seq = 5;
  stream.sample_round_trip(4, from_ms(80));
  EXPECT_EQ(stream.round_trip, Time{}) << "the timed message is not acknowledged";
  stream.sample_round_trip(5, from_ms(80));
  EXPECT_EQ(stream.round_trip, from_ms(80));
  stream.timed_seq = 6;
  stream.sample_round_trip(6, from_ms(160));
  EXPECT_EQ(stream.round_trip, from_ms(90));
}

TEST(StreamTableTest, ListsAStreamAsItsStateSays) {
  StreamTable table;
  OriginStream& stream = table.get({ChannelId{1, 1}, {}, {}}, Lane::call);
  EXPECT_EQ(table.find(ChannelId{1, 1}, Lane::call), &stream);
  EXPECT_EQ(table.find(ChannelId{1, 1}, Lane::bulk), nullptr);
  stream.want_probe = true;
  table.schedule(stream);
  table.schedule(stream);
  EXPECT_EQ(table.ready(Lane::call).size(), 1u);
  stream.want_probe = false;
  table.schedule(stream);
  EXPECT_TRUE(table.ready(Lane::call).empty());
  table.became_busy(stream);
  EXPECT_EQ(table.busy().size(), 1u);
  table.became_idle(stream);
  EXPECT_TRUE(table.busy().empty());
  table.erase(stream);
  EXPECT_EQ(table.find(ChannelId{1, 1}, Lane::call), nullptr);
}

TEST(StreamTableTest, KeepsABoundedNumberOfIdleStreams) {
  StreamTable table;
  for (std::uint64_t i = 0; i <= kLineageCache; ++i) {
    OriginStream& stream = table.get({ChannelId{1, i}, {}, {}}, Lane::call);
    table.became_busy(stream);
    table.became_idle(stream);
  }
  EXPECT_EQ(table.find(ChannelId{1, 0}, Lane::call), nullptr) << "the longest idle one";
  EXPECT_NE(table.find(ChannelId{1, 1}, Lane::call), nullptr);
}

}  // namespace
}  // namespace starbus::bus
