/// What processes tell operators, and how often a peer has come anew.
#include <gtest/gtest.h>

#include "bus/core/routers/recent_times.hpp"
#include "tests/bus/core/ends/process_core_harness.hpp"
#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

TEST(RecentTimesTest, CountsTheLatestTenMinutes) {
  RecentTimes times;
  EXPECT_EQ(times.count(from_ms(0)), 0u);
  for (int minute = 0; minute < 8; ++minute) times.note(std::chrono::minutes(minute));
  EXPECT_EQ(times.count(std::chrono::minutes(10)), 8u);
  EXPECT_EQ(times.count(std::chrono::minutes(12)), 6u);
  for (int i = 0; i < 100; ++i) times.note(std::chrono::minutes(13));
  EXPECT_EQ(times.count(std::chrono::minutes(13)), RecentTimes::kKept);
  EXPECT_EQ(times.count(std::chrono::minutes(30)), 0u);
}

void send(ScriptedBusd& busd) {
  ASSERT_TRUE(busd.core.origin().send({channel_id("x/1"), Epoch::of(1, 1), {}}, Lane::call, {},
                                      as_bytes("hello"), 0, {}));
}

TEST(ProcessVitals, AreToldOncePerSecondWhenTheyChange) {
  ScriptedBusd busd;
  busd.greet();
  busd.pass(3'000);
  EXPECT_EQ(busd.count(Kind::vitals), 0u) << "nothing to tell";
  send(busd);
  busd.pass(1'500);
  const auto told = busd.said<Vitals>();
  ASSERT_FALSE(told.empty());
  EXPECT_GT(told.back().window_bytes, 0u);
  EXPECT_EQ(told.back().stuck, channel_id("x/1")) << "nobody has answered";
  EXPECT_EQ(told.back().stuck_bytes, told.back().window_bytes);
  EXPECT_LE(told.size(), 2u);
}

TEST(ProcessVitals, AreNotToldToAnOlderBusd) {
  ScriptedBusd busd;
  busd.minor = 0;
  busd.greet();
  send(busd);
  busd.pass(3'000);
  EXPECT_EQ(busd.count(Kind::vitals), 0u);
}

class HostVitals : public HostRouterTest {};

TEST_F(HostVitals, AreKeptForOperators) {
  Peer& one = join("one");
  Vitals vitals;
  vitals.sent = 7;
  one.say(vitals);
  harness.run();
  EXPECT_EQ(router.table().by_id(local("one"))->vitals, vitals);
  EXPECT_EQ(router.table().by_id(local("one"))->sessions.count(harness.now()), 1u);
  harness.cut(one);
  join("one");
  EXPECT_EQ(router.table().by_id(local("one"))->vitals, Vitals{}) << "of a session that is over";
  EXPECT_EQ(router.table().by_id(local("one"))->sessions.count(harness.now()), 2u);
}

}  // namespace
}  // namespace starbus::bus::test
