/// What a space asks its crowd, and what it believes of the answers.
#include "tests/nodes/space_nav/meadow.hpp"

#include "nodes/space/nav/limits.hpp"

namespace starbus::nodes::crowds::test {
namespace {

using nav::crowd::Doing;
using nav::crowd::End;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Moved moved(WalkerName walker, std::uint32_t version, float x, float y) {
  return {walker, version, {x, y, 0}, {1, 0, 0}, Doing::walking};
}
Answer of_moved(Moved moved) {
  Answer answer;
  answer.moved = {moved};
  return answer;
}
Answer of_ended(WalkerName walker, std::uint32_t version, End end) {
  Answer answer;
  answer.ended = {{walker, version, end, false}};
  return answer;
}

/// The answers are the test's.
class SpaceNavTest : public NavTestBase {
 protected:
  /// What the latest batch asks for.
  const std::vector<Request>& asked() { return port.batches.back().requests; }
  template <class Command>
  std::vector<Command> asked_of() {
    std::vector<Command> all;
    for (const Request& request : asked()) {
      if (const auto* found = std::get_if<Command>(&request)) all.push_back(*found);
    }
    return all;
  }
  /// A tick that answers what was asked before it.
  void answer_and_tick(Answer answer = {}) {
    if (!port.waiting.empty()) port.answer(std::move(answer));
    meadow.tick();
  }

  SlowPort port;
  Meadow meadow{port, type()};
};

TEST_F(SpaceNavTest, WhoEntersIsShownAndWhoLeavesIsTakenOut) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 6);
  meadow.tick();
  ASSERT_EQ(asked_of<Add>().size(), 1u);
  EXPECT_EQ(asked_of<Add>()[0].walker, (WalkerName{1, 1}));
  EXPECT_EQ(asked_of<Add>()[0].at, (Point{5, 6, 0}));
  meadow.leave(a);
  answer_and_tick();
  ASSERT_EQ(asked_of<Remove>().size(), 1u);
  EXPECT_EQ(asked_of<Remove>()[0].walker, (WalkerName{1, 1}));
  meadow.enter(a, 7, 7);
  answer_and_tick();
  EXPECT_EQ(asked_of<Add>().at(0).walker, (WalkerName{1, 2})) << "another generation";
}

TEST_F(SpaceNavTest, WhoLeavesBeforeTheFirstAnswerIsTakenOutToo) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  meadow.tick();
  meadow.leave(a);
  port.answer(of_moved(moved({1, 1}, 0, 6, 5)));
  meadow.tick();
  EXPECT_EQ(asked_of<Remove>().size(), 1u);
  EXPECT_EQ(meadow.nav->counts().stale, 1u);
}

TEST_F(SpaceNavTest, CommandsBeforeTheCrowdIsThereKeepTheirOrder) {
  SlowPort late;
  late.hold_creates = true;
  Meadow slow(late, type());
  std::vector<Wolf*> wolves;
  for (int i = 0; i < 5; ++i) {
    wolves.push_back(&wolf());
    slow.enter(*wolves.back(), 5, static_cast<float>(i));
  }
  for (const int i : {3, 1, 4, 0, 2}) {
    ASSERT_TRUE(wolves[static_cast<std::size_t>(i)]->nav().go_to({static_cast<float>(i), 50, 0}));
  }
  slow.tick();
  EXPECT_TRUE(late.batches.empty());
  late.held(CrowdId{9, 1});
  slow.tick();
  ASSERT_EQ(late.batches.size(), 1u);
  EXPECT_EQ(late.batches[0].crowd, (CrowdId{9, 1}));
  std::vector<float> order;
  for (const Request& request : late.batches[0].requests) {
    if (const auto* go = std::get_if<GoTo>(&request)) order.push_back(go->goal.x);
  }
  EXPECT_THAT(order, ElementsAre(3, 1, 4, 0, 2));
}

TEST_F(SpaceNavTest, OneBatchAtATimeWithAllThatHasCome) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  for (int i = 0; i < 5; ++i) meadow.tick();
  EXPECT_EQ(port.batches.size(), 1u) << "it was not answered";
  ASSERT_TRUE(a.nav().go_to({9, 9, 0}));
  ASSERT_TRUE(a.nav().go_to({8, 8, 0}));
  answer_and_tick();
  ASSERT_EQ(port.batches.size(), 2u);
  EXPECT_EQ(port.batches[1].passed_us, 500'000u);
  ASSERT_EQ(asked_of<GoTo>().size(), 1u);
  EXPECT_EQ(asked_of<GoTo>()[0].version, 2u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].version, 1u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::cancelled);
}

TEST_F(SpaceNavTest, BatchesComeAtMostAsOftenAsTheTypeSays) {
  for (int i = 0; i < 20; ++i) {
    meadow.tick(50ms);
    if (!port.waiting.empty()) port.answer();
  }
  EXPECT_EQ(port.batches.size(), 10u);
}

TEST_F(SpaceNavTest, ALateAnswerAfterACancelMovesNobody) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  EXPECT_EQ(a.nav().go_to({50, 5, 0}).value(), 1u);
  meadow.tick();
  EXPECT_TRUE(a.nav().cancel());
  EXPECT_EQ(a.nav().version(), 2u);
  answer_and_tick(of_moved(moved({1, 1}, 1, 6, 5)));
  EXPECT_EQ(a.at(), (movement::Position{5, 5, 0}));
  EXPECT_EQ(asked_of<Cancel>().at(0).version, 2u);
  EXPECT_FALSE(a.nav().cancel()) << "nothing is left";
}

TEST_F(SpaceNavTest, AnEndOfTheCommandBeforeEndsNothing) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  ASSERT_TRUE(a.nav().go_to({60, 5, 0}));
  ends.clear();
  answer_and_tick(of_ended({1, 1}, 1, End::arrived));
  EXPECT_TRUE(ends.empty());
  EXPECT_EQ(a.nav().task(), NavTask::go_to);
  answer_and_tick(of_ended({1, 1}, 2, End::arrived));
  answer_and_tick(of_ended({1, 1}, 2, End::arrived));
  ASSERT_EQ(ends.size(), 1u) << "once";
  EXPECT_EQ(ends[0].version, 2u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::arrived);
  EXPECT_EQ(a.nav().task(), NavTask::none);
}

TEST_F(SpaceNavTest, ATeleportCancelsAndIsNotUndone) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  ASSERT_TRUE(a.nav().teleport({30, 30, 0}));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::cancelled);
  answer_and_tick(of_moved(moved({1, 1}, 1, 6, 5)));
  EXPECT_EQ(a.at(), (movement::Position{30, 30, 0}));
  ASSERT_EQ(asked_of<Teleport>().size(), 1u);
  EXPECT_EQ(asked_of<Teleport>()[0].at, (Point{30, 30, 0}));
  EXPECT_EQ(asked_of<Teleport>()[0].version, 2u);
}

TEST_F(SpaceNavTest, WhomTheGamePlacesIsElsewhereForItsCrowdToo) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  movement::Locomotion there = a.mover().state();
  there.position = {40, 40, 0};
  ASSERT_TRUE(a.mover().place(there));  // thrown by a giant, say
  answer_and_tick(of_moved(moved({1, 1}, 1, 6, 5)));
  EXPECT_EQ(a.at(), (movement::Position{40, 40, 0}));
  EXPECT_EQ(asked_of<Teleport>().size(), 1u);
  EXPECT_EQ(ends.at(0).outcome, NavOutcome::cancelled);
}

TEST_F(SpaceNavTest, ThoseItMovesAreNotTakenForPlaced) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  answer_and_tick(of_moved(moved({1, 1}, 1, 6, 5)));
  EXPECT_EQ(a.at(), (movement::Position{6, 5, 0}));
  answer_and_tick(of_moved(moved({1, 1}, 1, 7, 5)));
  EXPECT_EQ(a.at(), (movement::Position{7, 5, 0}));
  EXPECT_TRUE(ends.empty());
  EXPECT_EQ(a.nav().doing(), Doing::walking);
}

TEST_F(SpaceNavTest, AnotherCommandWithinTheEndOfTheFormerOne) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  int again = 3;
  on_end = [&](Wolf& it, const NavEnd&) {
    if (again-- <= 0) return;
    ASSERT_TRUE(it.nav().go_to({1, static_cast<float>(again), 0}));
  };
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  ASSERT_TRUE(a.nav().go_to({60, 5, 0}));
  std::vector<std::uint32_t> versions;
  for (const NavEnd& end : ends) versions.push_back(end.version);
  EXPECT_THAT(versions, ElementsAre(1, 2, 3, 4)) << "each ends once";
  EXPECT_EQ(a.nav().version(), 5u);
}

TEST_F(SpaceNavTest, AWalkerMayEndWithinItsEnd) {
  Wolf& a = wolf();
  Wolf& b = wolf();
  meadow.enter(a, 5, 5);
  meadow.enter(b, 8, 8);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  ASSERT_TRUE(b.nav().go_to({50, 5, 0}));
  meadow.tick();
  on_end = [&](Wolf& it, const NavEnd&) { meadow.leave(&it == &a ? b : a); };
  Answer answer;
  answer.ended = {{{1, 1}, 1, End::arrived, false}, {{2, 1}, 1, End::arrived, false}};
  answer_and_tick(std::move(answer));
  EXPECT_EQ(ends.size(), 1u) << "the other one has left";
  EXPECT_EQ(meadow.nav->walkers(), 1u);
}

TEST_F(SpaceNavTest, ATargetThatIsNotThereIsLost) {
  Wolf& a = wolf();
  Wolf& b = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().follow(b, {.distance = 2}));
  meadow.tick();
  ASSERT_EQ(asked_of<Chase>().size(), 1u);
  EXPECT_EQ(asked_of<Chase>()[0].target, WalkerName{});
  Answer answer;
  answer.refused = {{{1, 1}, 1, false, Errc::unknown_walker}};
  answer_and_tick(std::move(answer));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::target_lost);
}

TEST_F(SpaceNavTest, TargetsThatComeInTheSameTickAreThereBeforeCommands) {
  Wolf& a = wolf();
  Wolf& b = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().approach(b));
  meadow.enter(b, 9, 9);
  meadow.tick();
  ASSERT_EQ(asked().size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Chase>(asked()[2]));
  EXPECT_EQ(asked_of<Chase>()[0].target, (WalkerName{2, 1}));
  EXPECT_EQ(a.nav().approach(a).error(), Errc::same_walker);
}

TEST_F(SpaceNavTest, PlayersArePushedWhenTheyMove) {
  Wolf& player = wolf();
  ASSERT_TRUE(player.nav().set({.passive = true}));
  meadow.enter(player, 5, 5);
  meadow.tick();
  EXPECT_TRUE(asked_of<Add>().at(0).passive);
  EXPECT_TRUE(asked_of<Push>().empty());
  EXPECT_EQ(player.nav().go_to({9, 9, 0}).error(), Errc::passive);
  movement::Locomotion there = player.mover().state();
  there.position = {6, 5, 0};
  there.velocity = {5, 0, 0};
  ASSERT_TRUE(player.mover().place(there));
  answer_and_tick();
  ASSERT_EQ(asked_of<Push>().size(), 1u);
  EXPECT_EQ(asked_of<Push>()[0].velocity, (Point{5, 0, 0}));
  there.velocity = {};
  ASSERT_TRUE(player.mover().place(there));
  answer_and_tick();
  answer_and_tick();
  EXPECT_TRUE(asked_of<Push>().empty()) << "it stands";
}

TEST_F(SpaceNavTest, ALostCrowdIsMadeAgainAndAskedAgain) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  answer_and_tick(of_moved(moved({1, 1}, 1, 9, 5)));
  port.answer(Error(bus::Errc::owner_lost));
  EXPECT_FALSE(meadow.nav->there());
  int ticks = 0;
  for (; !meadow.nav->there() && ticks < 20; ++ticks) meadow.tick();
  EXPECT_LE(ticks, kCrowdAgain / 100ms + 1) << "within a second";
  EXPECT_EQ(port.creates, 2);
  meadow.tick();
  EXPECT_EQ(port.batches.back().crowd, (CrowdId{2, 1}));
  ASSERT_EQ(asked_of<Add>().size(), 1u);
  EXPECT_EQ(asked_of<Add>()[0].at, (Point{9, 5, 0})) << "from where it has come to";
  ASSERT_EQ(asked_of<GoTo>().size(), 1u);
  EXPECT_EQ(asked_of<GoTo>()[0].version, 1u);
  EXPECT_TRUE(ends.empty()) << "its command goes on";
  EXPECT_EQ(meadow.nav->counts().lost, 1u);
}

TEST_F(SpaceNavTest, WhileNoCrowdIsThereItIsAskedForAgain) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  meadow.tick();
  port.refuse_with = Error(bus::Errc::no_owner);
  port.answer(Error(bus::Errc::owner_lost));
  for (int i = 0; i < 20; ++i) meadow.tick();
  EXPECT_GE(port.creates, 8) << "2 s, each 200 ms";
  EXPECT_LE(port.creates, 12);
  port.refuse_with.reset();
  for (int i = 0; i < 4; ++i) meadow.tick();
  EXPECT_TRUE(meadow.nav->there());
}

TEST_F(SpaceNavTest, AMapThatIsNotThereFailsTheStartWithItsLine) {
  SlowPort bad;
  bad.refuse_with = Error(Errc::no_map, "/maps/town.nav: No such file or directory");
  Meadow failed(bad, type());
  ASSERT_TRUE(failed.started.has_value());
  ASSERT_FALSE(*failed.started);
  EXPECT_EQ(failed.started->error(), Errc::no_map);
  EXPECT_THAT(failed.started->error().detail,
              HasSubstr("towns.toml:7:7: no_map: /maps/town.nav: No such file"));
}

TEST_F(SpaceNavTest, ASpaceThatEndsEndsItsCrowd) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  meadow.tick();
  meadow.nav.reset();
  EXPECT_THAT(port.destroyed, ElementsAre(CrowdId{1, 1}));
  port.answer(of_moved(moved({1, 1}, 0, 9, 9)));
  EXPECT_EQ(a.nav().go_to({1, 1, 0}).error(), Errc::no_crowd);
  SlowPort late;
  late.hold_creates = true;
  { Meadow gone(late, type()); }
  late.held(CrowdId{4, 1});
  EXPECT_THAT(late.destroyed, ElementsAre(CrowdId{4, 1})) << "nobody has it";
}

TEST_F(SpaceNavTest, AWalkerWithoutGroundIsShownAgain) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 5, 0}));
  meadow.tick();
  Answer answer;
  answer.refused = {{{1, 1}, 1, true, Errc::no_place}, {{1, 1}, 1, true, Errc::unknown_walker}};
  answer_and_tick(std::move(answer));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::refused);
  EXPECT_EQ(ends[0].why, Errc::no_place);
  EXPECT_FALSE(a.nav().walks());
  int ticks = 0;
  for (; asked_of<Add>().empty() && ticks < 30; ++ticks) answer_and_tick();
  EXPECT_NEAR(ticks, kAddAgain / 100ms, 2);
}

TEST_F(SpaceNavTest, MoreWalkersThanTheTypeHasRoomForStand) {
  Meadow small(port, type(1));
  Wolf& a = wolf();
  Wolf& b = wolf();
  small.enter(a, 5, 5);
  small.enter(b, 6, 6);
  EXPECT_EQ(small.nav->counts().full, 1u);
  EXPECT_EQ(b.nav().go_to({1, 1, 0}).error(), Errc::no_crowd);
  small.leave(a);
  small.leave(b);
  small.enter(b, 6, 6);
  EXPECT_TRUE(b.nav().go_to({1, 1, 0}));
}

TEST_F(SpaceNavTest, InAnotherSpaceItIsAskedTheSameAgain) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 60, 0}, {.distance = 3, .partial = true}));
  meadow.tick();
  meadow.leave(a);
  EXPECT_TRUE(ends.empty());
  SlowPort other;
  Meadow next(other, type());
  next.enter(a, 20, 20);
  next.tick();
  const auto& requests = other.batches.at(0).requests;
  ASSERT_EQ(requests.size(), 2u);
  const auto& go = std::get<GoTo>(requests[1]);
  EXPECT_EQ(go.version, 1u);
  EXPECT_EQ(go.goal, (Point{50, 60, 0}));
  EXPECT_EQ(go.distance, 3);
  EXPECT_TRUE(go.partial);
}

TEST_F(SpaceNavTest, InAnotherProcessItIsAskedTheSameAgain) {
  Wolf& a = wolf();
  ASSERT_TRUE(a.nav().set({.kind = "small", .radius = 0.7F, .speed = 6, .priority = 9}));
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 60, 0}, {.distance = 3}));
  meadow.tick();
  const auto packed = entities.freeze(a);
  ASSERT_TRUE(packed) << packed.error().to_string();
  // What is said of it meanwhile changes nothing of what has been packed.
  answer_and_tick(of_ended({1, 1}, 1, End::arrived));
  EXPECT_TRUE(ends.empty());
  const auto moved = other_process.create_moved(*packed);
  ASSERT_TRUE(moved) << moved.error().to_string();
  auto& arrived = static_cast<Wolf&>(**moved);
  SlowPort other;
  Meadow next(other, type());
  next.enter(arrived, 20, 20);
  next.tick();
  const auto& requests = other.batches.at(0).requests;
  ASSERT_EQ(requests.size(), 2u);
  const auto& add = std::get<Add>(requests[0]);
  EXPECT_EQ(add.speed, 6);
  EXPECT_EQ(add.radius, 0.7F);
  EXPECT_EQ(add.priority, 9u);
  EXPECT_EQ(std::get<GoTo>(requests[1]).version, 1u);
  EXPECT_EQ(std::get<GoTo>(requests[1]).goal, (Point{50, 60, 0}));
}

TEST_F(SpaceNavTest, ABatchThatWorkersHaveNoRoomForGoesAgain) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  meadow.tick();
  port.answer(Error(Errc::busy));
  ASSERT_TRUE(a.nav().go_to({50, 60, 0}));
  meadow.tick();
  ASSERT_EQ(asked().size(), 2u);
  EXPECT_EQ(std::get<Add>(asked()[0]).walker, (WalkerName{1, 1}));
  EXPECT_EQ(std::get<GoTo>(asked()[1]).version, 1u);
  EXPECT_EQ(port.batches.back().passed_us, 200'000u);
  answer_and_tick();
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(port.batches.back().passed_us, 100'000u);
  EXPECT_EQ(port.creates, 1);
  EXPECT_EQ(meadow.nav->counts().held, 1u);
}

TEST_F(SpaceNavTest, WhatWaitsTooLongForWorkersIsALostCrowd) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  const std::uint64_t room = kMaxHeld * (type().crowd.walkers + 1);
  for (std::uint64_t i = 0; i < room + 2 && meadow.nav->counts().lost == 0; ++i) {
    ASSERT_TRUE(a.nav().go_to({50, 60, 0}));
    meadow.tick();
    EXPECT_LE(asked().size(), room + 1);
    port.answer(Error(Errc::busy));
  }
  EXPECT_EQ(meadow.nav->counts().lost, 1u);
  for (int i = 0; i < 4; ++i) meadow.tick();
  EXPECT_EQ(port.creates, 2);
  EXPECT_EQ(asked().size(), 2u) << "it is added, and asked once";
}

TEST_F(SpaceNavTest, WhoIsFrozenStandsAndIfItStaysGoesOnFromWhereItIs) {
  Wolf& a = wolf();
  meadow.enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({50, 60, 0}));
  meadow.tick();
  answer_and_tick(of_moved(moved({1, 1}, 1, 6, 5)));
  ASSERT_TRUE(entities.freeze(a));
  answer_and_tick(of_moved(moved({1, 1}, 1, 7, 5)));
  EXPECT_EQ(asked_of<Cancel>().size(), 1u);
  answer_and_tick(of_ended({1, 1}, 1, End::arrived));
  EXPECT_TRUE(asked().empty()) << "it is told once";
  EXPECT_TRUE(ends.empty()) << "it hears nothing";
  ASSERT_TRUE(entities.thaw(a));
  EXPECT_EQ(a.at(), (movement::Position{6, 5, 0}));
  answer_and_tick();
  ASSERT_EQ(asked_of<Teleport>().size(), 1u);
  EXPECT_EQ(asked_of<Teleport>()[0].at, (Point{6, 5, 0}));
  ASSERT_EQ(asked_of<GoTo>().size(), 1u);
  EXPECT_EQ(asked_of<GoTo>()[0].version, 1u);
  answer_and_tick(of_ended({1, 1}, 1, End::arrived));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].outcome, NavOutcome::arrived);
}

TEST_F(SpaceNavTest, WhatIsNoWalkerIsRefused) {
  Wolf& a = wolf();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(a.nav().set({.radius = 0}).error(), Errc::bad_request);
  EXPECT_EQ(a.nav().set({.speed = nan}).error(), Errc::bad_request);
  EXPECT_EQ(a.nav().set({.priority = 101}).error(), Errc::bad_request);
  EXPECT_EQ(a.nav().go_to({1, 1, 0}).error(), Errc::no_crowd);
  meadow.enter(a, 5, 5);
  EXPECT_EQ(a.nav().go_to({nan, 1, 0}).error(), Errc::bad_request);
  EXPECT_EQ(a.nav().go_to({1, 1, 0}, {.distance = -1}).error(), Errc::bad_request);
}

TEST_F(SpaceNavPool, AWolfGoesToItsGoal) {
  begin(type());
  Wolf& a = wolf();
  meadow->enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({30, 5, 0}, {.distance = 1}));
  ASSERT_TRUE(until([&] { return !ends.empty(); }));
  EXPECT_EQ(ends[0].outcome, NavOutcome::arrived);
  EXPECT_NEAR(a.at().x, 30, 1.01);
  EXPECT_NEAR(a.mover().state().heading, 0, 0.1);
}

TEST_F(SpaceNavPool, AWolfFollowsAPlayerAndLosesIt) {
  begin(type());
  Wolf& a = wolf();
  Wolf& player = wolf();
  ASSERT_TRUE(player.nav().set({.passive = true}));
  meadow->enter(a, 5, 5);
  meadow->enter(player, 20, 5);
  ASSERT_TRUE(a.nav().follow(player, {.distance = 2}));
  ASSERT_TRUE(until([&] { return a.nav().doing() == Doing::waiting; }));
  movement::Locomotion there = player.mover().state();
  there.position = {20, 40, 0};
  ASSERT_TRUE(player.mover().place(there));
  ASSERT_TRUE(until([&] { return a.at().y > 37; }));
  meadow->leave(player);
  ASSERT_TRUE(until([&] { return !ends.empty(); }));
  EXPECT_EQ(ends[0].outcome, NavOutcome::target_lost);
}

TEST_F(SpaceNavPool, AGoalWithoutGroundIsRefused) {
  begin(type());
  Wolf& a = wolf();
  meadow->enter(a, 5, 5);
  ASSERT_TRUE(a.nav().go_to({500, 5, 0}));
  ASSERT_TRUE(until([&] { return !ends.empty(); }));
  EXPECT_EQ(ends[0].outcome, NavOutcome::refused);
  EXPECT_EQ(ends[0].why, Errc::no_place);
}

}  // namespace
}  // namespace starbus::nodes::crowds::test
