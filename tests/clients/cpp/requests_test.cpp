// Each row of the table "Requests" of docs/reference/client-protocol.md.
#include "clients/cpp/requests.hpp"

#include "tests/clients/cpp/scripted.hpp"

namespace starbus::game {
namespace {

using namespace scripted;

TEST(GameRequests, AReplyIsTheFateAndIsToldOnce) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.asked(), (Numbers{1, 2}));
  world.reply(2);
  world.reply(2);
  world.reply(9);
  EXPECT_EQ(world.told(), Lines{"2 replied"});
  EXPECT_EQ(world.session.requests_open(), 1U);
}

TEST(GameRequests, AFullStateOfTheSameBindTellsThemApart) {
  World world;
  world.online();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  static_cast<void>(world.said());
  world.full({1, 1}, 3, {2}, 4);  // 1, 3: begun; 2: open; 4: under way; 5: not come
  EXPECT_EQ(world.told(), (Lines{"1 reply_lost", "3 reply_lost"}));
  EXPECT_EQ(world.asked(), Numbers{5});
  world.reply(2);
  world.reply(5);
  EXPECT_EQ(world.told(), (Lines{"2 replied", "5 replied"}));
  EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.asked(), Numbers{6});
}

TEST(GameRequests, AFullStateOfANewBindEndsWhatWasNotBegun) {
  World world;
  world.online();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  static_cast<void>(world.said());
  world.full({1, 2}, 2, {2}, 2, {1, 1});
  EXPECT_EQ(world.told(), (Lines{"1 reply_lost", "3 not_begun", "4 not_begun"}));
  EXPECT_EQ(world.ask(), Asked::ok);
  const auto said = world.said();
  ASSERT_EQ(said.size(), 1U);  // not said again by itself, and never to another subject
  EXPECT_EQ(std::get<wire::Ask>(said[0]).u, 3U);
  EXPECT_EQ(std::get<wire::Ask>(said[0]).bind, (wire::Bind{1, 2}));
}

TEST(GameRequests, BelowSinceTheyAreUnknown) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  world.full({2, 1}, 0, {}, 0, {2, 1});
  EXPECT_EQ(world.told(), Lines{"1 unknown"});
}

TEST(GameRequests, AWelcomeThatGoesOnLetsThemBeSaidAgain) {
  World world;
  world.online();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  world.lose();
  EXPECT_EQ(world.ask(), Asked::ok);  // away: waits
  static_cast<void>(world.greeted());
  EXPECT_EQ(world.asked(), Numbers{});
  world.welcome(true, 1, 1, {1, 1});
  EXPECT_EQ(world.asked(), (Numbers{2, 3}));
  world.lose();
  static_cast<void>(world.greeted());
  world.welcome(true, 1, 1, {1, 2});  // of a bind whose full state follows
  EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.asked(), Numbers{});
  world.full({1, 2}, 1, {}, 1);
  EXPECT_EQ(world.told(), (Lines{"1 reply_lost", "2 not_begun", "3 not_begun", "4 not_begun"}));
}

TEST(GameRequests, AfterBusyTheyAreSaidAgainOnceAndInOrder) {
  World world;
  world.online();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  static_cast<void>(world.said());
  world.say(wire::Busy{1});
  world.say(wire::Busy{1});
  EXPECT_EQ(world.ask(), Asked::ok);  // waits behind the others
  EXPECT_EQ(world.asked(), Numbers{});
  world.wait(kBusyAgain);
  EXPECT_EQ(world.asked(), (Numbers{2, 3, 4}));
  world.wait(kBusyAgain);
  EXPECT_EQ(world.asked(), Numbers{});
}

TEST(GameRequests, AWelcomeOfAnotherLoginLosesThem) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  world.lose();
  static_cast<void>(world.greeted());
  world.welcome(false, 2);
  EXPECT_EQ(world.told(), Lines{"1 unknown"});
  EXPECT_EQ(world.ask(), Asked::no_subject);
  world.full({1, 5}, 7);
  EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.asked(), Numbers{8});
}

TEST(GameRequests, ANewSessionOfTheSameLoginKeepsThem) {
  World world;
  world.online();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  world.lose();
  static_cast<void>(world.greeted());
  world.welcome(false, 1);
  EXPECT_EQ(world.told(), Lines{});
  world.full({1, 2}, 2, {2}, 2, {1, 1});
  EXPECT_EQ(world.told(), Lines{"1 reply_lost"});
  world.reply(2);
  EXPECT_EQ(world.told(), Lines{"2 replied"});
}

TEST(GameRequests, TheLastPacketTellsThemAsFarAsItKnows) {
  World known;
  known.online();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(known.ask(), Asked::ok);
  known.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::replaced, true, 1, {1, 1}});
  EXPECT_EQ(known.told(), (Lines{"1 reply_lost", "2 not_begun"}));
  World later;
  later.online();
  EXPECT_EQ(later.ask(), Asked::ok);
  later.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::replaced, true, 1, {1, 2}});
  EXPECT_EQ(later.told(), Lines{"1 unknown"});
  World unknown;
  unknown.online();
  EXPECT_EQ(unknown.ask(), Asked::ok);
  unknown.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::fault, false, 0, {}});
  EXPECT_EQ(unknown.told(), Lines{"1 unknown"});
}

TEST(GameRequests, AreBounded) {
  World world;
  EXPECT_EQ(world.ask(), Asked::no_subject);
  world.online();
  EXPECT_EQ(world.ask(std::string(kRequestBytes + 1, 'x')), Asked::too_large);
  EXPECT_EQ(world.ask(std::string(kRequestBytes, 'x')), Asked::ok);
  for (std::size_t i = 1; i < kRequestsOpen; ++i) EXPECT_EQ(world.ask(), Asked::ok);
  EXPECT_EQ(world.ask(), Asked::too_many);
  world.reply(1);
  EXPECT_EQ(world.ask(), Asked::ok);
  world.packet(wire::PacketKind::over, sessions::Over{sessions::Reason::switched, {}});
  EXPECT_EQ(world.ask(), Asked::no_subject);
}

TEST(GameRequests, AFateMayAskAgain) {
  World world;
  world.online();
  std::uint64_t again = 0;
  const Asked asked = world.session.ask(bytes_of("buy"), [&](const Outcome& outcome) {
    EXPECT_EQ(outcome.fate, Fate::not_begun);
    EXPECT_EQ(world.ask(), Asked::ok);
    again = outcome.u;
  });
  EXPECT_EQ(asked, Asked::ok);
  world.full({1, 2});
  EXPECT_EQ(again, 1U);
  world.reply(1);
  EXPECT_EQ(world.told(), Lines{"1 replied"});
}

}  // namespace
}  // namespace starbus::game
