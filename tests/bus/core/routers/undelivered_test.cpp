/// Messages that did not arrive: their process tells busd, which keeps it for `bustop why`.
#include "tests/bus/core/ends/process_core_harness.hpp"
#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

const ChannelId kBoss = channel_id("monster/boss");

TEST(UndeliveredTest, IsToldOnceASecondForEachNameAndReason) {
  ScriptedBusd busd;
  busd.greet();
  busd.core.note_undelivered(kBoss, "monster/boss", Errc::owner_lost);
  busd.core.note_undelivered(kBoss, "monster/boss", Errc::owner_lost);
  busd.core.note_undelivered(kBoss, "monster/boss", Errc::no_owner);
  busd.pass(100);
  for (int i = 0; i < 5; ++i) busd.core.note_undelivered(kBoss, {}, Errc::expired);
  busd.pass(500);
  auto told = busd.said<UndeliveredReport>();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].count + told[1].count, 3u);
  EXPECT_EQ(told[0].channel, kBoss);
  EXPECT_EQ(told[0].channel_name, "monster/boss");
  busd.pass(1'000);
  told = busd.said<UndeliveredReport>();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().reason, Errc::expired);
  EXPECT_EQ(told.back().count, 5u);
  EXPECT_EQ(busd.core.undelivered(), 8u);
}

TEST(UndeliveredTest, NamesAreBounded) {
  ScriptedBusd busd;
  busd.greet();
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    busd.core.note_undelivered({i, i}, "thing/" + std::to_string(i), Errc::no_owner);
  }
  busd.pass(1'100);
  EXPECT_EQ(busd.count(Kind::undelivered), kMaxUndelivered);
  EXPECT_EQ(busd.core.undelivered(), 1'000u);
}

TEST(UndeliveredTest, IsNotToldToAnOlderBusd) {
  ScriptedBusd busd;
  busd.minor = kUndeliveredMinor - 1;
  busd.greet();
  busd.core.note_undelivered(kBoss, "monster/boss", Errc::owner_lost);
  busd.pass(3'000);
  EXPECT_EQ(busd.count(Kind::undelivered), 0u);
}

class HostUndelivered : public HostRouterTest {};

TEST_F(HostUndelivered, IsKeptForWhyAndCounted) {
  Peer& one = join("one");
  one.say(UndeliveredReport{kBoss, "monster/boss", Errc::owner_lost, 3});
  harness.run();
  ASSERT_FALSE(router.failures().latest().empty());
  const Failure& failure = router.failures().latest().back();
  EXPECT_EQ(failure.channel, kBoss);
  EXPECT_EQ(failure.origin, local("one"));
  EXPECT_EQ(failure.reason, "undelivered: owner_lost, 3 messages");
  EXPECT_EQ(router.host_counters().undelivered, 3u);
}

}  // namespace
}  // namespace starbus::bus::test
