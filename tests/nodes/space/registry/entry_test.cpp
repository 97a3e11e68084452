/// Requests for seats.
#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space {
namespace {

class RegistryEntry : public RegistryFixture {};

const PlaceId kTown{"town", ""};

TEST_F(RegistryEntry, AWaiterIsLetInOnceTheSpaceIsReadyAndHasHeldTheSeat) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown);
  const Order create = take_one<Create>();
  EXPECT_EQ(std::get<Create>(create.what).name, (SpaceName{kTown, 1}));
  pass(3s);
  EXPECT_TRUE(waits(hero));
  EXPECT_TRUE(take<Reserve>().empty());
  start(create);
  EXPECT_TRUE(waits(hero));  // the node has not held the seat yet
  const Order reserve = take_one<Reserve>();
  reply(reserve, Reply::To::reserve, {}, {0, 1});
  ASSERT_TRUE(granted(hero));
  const Grant& grant = *answers_.at(hero);
  EXPECT_EQ(grant.node, "a.1");
  EXPECT_EQ(grant.life, create.life);
  EXPECT_EQ(grant.tickets, std::get<Reserve>(reserve.what).tickets);
  EXPECT_EQ(grant.hold, kTicketHold);
  pass(1min);
  EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(RegistryEntry, ATeamGetsAllItsSeatsInOneLineOrNone) {
  begin({town(10, 2)}, {"a.1"});
  for (int i = 0; i < 7; ++i) (void)enter(kTown);
  start(take_one<Create>());
  seat_all();
  const auto team = enter(kTown, 5);  // 7 of 10: it goes to a line of its own
  const Order create = take_one<Create>();
  EXPECT_TRUE(take<Reserve>().empty());
  start(create);
  const Order reserve = take_one<Reserve>();
  EXPECT_EQ(reserve.life, create.life);
  EXPECT_EQ(std::get<Reserve>(reserve.what).tickets.size(), 5U);
  reply(reserve, Reply::To::reserve, {}, {0, 5});
  EXPECT_TRUE(granted(team));
  const auto other = enter(kTown, 6);  // 3 and 5 are free, and no further line may begin
  EXPECT_EQ(code_of(other), Errc::full);
  EXPECT_EQ(enter(kTown, 11), requests_);
  EXPECT_EQ(code_of(requests_), Errc::bad_request);
}

TEST_F(RegistryEntry, ALineThatIsChosenIsThatLineOrATypedRefusal) {
  SpaceType type = town(2, 2);
  type.soft_capacity = 2;
  begin({type}, {"a.1"});
  const auto first = enter(kTown, 2);
  start(take_one<Create>());
  seat_all();
  EXPECT_TRUE(granted(first));
  EXPECT_EQ(code_of(enter(kTown, 1, 1)), Errc::line_full);
  EXPECT_EQ(code_of(enter(kTown, 1, 2)), Errc::no_such_line);
  const auto any = enter(kTown);
  const Order create = take_one<Create>();
  const auto second = enter(kTown, 1, 2);  // it is being made: they wait
  EXPECT_TRUE(waits(second));
  start(create);
  seat_all();
  EXPECT_TRUE(granted(any));
  ASSERT_TRUE(granted(second));
  EXPECT_EQ(answers_.at(second)->space.line, 2U);
  const auto views = registry_->lines(kTown);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].taken, 2U);
  EXPECT_EQ(views[1].state, "ready");
  ASSERT_TRUE(registry_->countdown({kTown, 2}, 5s, now_));
  EXPECT_EQ(code_of(enter(kTown, 1, 2)), Errc::ends);
}

TEST_F(RegistryEntry, RequestsThatCanNeverBeMetAreRefused) {
  begin({town(1000), dungeon()}, {"a.1"});
  EXPECT_EQ(code_of(enter({"Town", ""})), Errc::bad_name);
  EXPECT_EQ(code_of(enter({"dungeon", "a b"})), Errc::bad_name);
  EXPECT_EQ(code_of(enter({"arena", ""})), Errc::unknown_type);
  EXPECT_EQ(code_of(enter({"town", "key"})), Errc::bad_request);
  EXPECT_EQ(code_of(enter({"dungeon", ""})), Errc::bad_request);
  EXPECT_EQ(code_of(enter(kTown, 0)), Errc::bad_request);
  EXPECT_TRUE(waits(enter(kTown, kMaxTeam)));
  EXPECT_EQ(code_of(enter(kTown, kMaxTeam + 1)), Errc::bad_request);
  EXPECT_EQ(code_of(enter({"dungeon", "k"}, 6)), Errc::bad_request);
  EXPECT_EQ(code_of(enter(kTown, 1, kMaxLines + 1)), Errc::bad_request);
  registry_->enter(1'000, {kTown, 1, 0, 1s, std::string(kMaxSetup + 1, 'x')}, now_);
  collect();
  EXPECT_EQ(code_of(1'000), Errc::bad_request);
}

TEST_F(RegistryEntry, EachWaiterIsToldByItsDeadline) {
  begin({town()}, {});
  const auto hasty = enter(kTown, 1, 0, 200ms);
  const auto patient = enter(kTown, 1, 0, 1h);
  pass(199ms);
  EXPECT_TRUE(waits(hasty));
  pass(1ms);
  EXPECT_EQ(code_of(hasty), Errc::no_node);
  pass(kLongestPatience - 201ms);
  EXPECT_TRUE(waits(patient));
  pass(1ms);
  EXPECT_EQ(code_of(patient), Errc::no_node);
  EXPECT_EQ(registry_->waiters(), 0U);
}

TEST_F(RegistryEntry, WhoGivesUpWhileASeatIsAskedForHoldsNone) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown, 3);
  start(take_one<Create>());
  const Order reserve = take_one<Reserve>();
  registry_->cancel(hero, now_);
  collect();
  const Order release = take_one<Release>();
  EXPECT_EQ(std::get<Release>(release.what).tickets, std::get<Reserve>(reserve.what).tickets);
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 3U);  // until the node has answered
  reply(reserve, Reply::To::reserve, {}, {0, 3});
  announce("a.1");  // after the release
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 0U);
  EXPECT_TRUE(answers_.empty());
  const auto late = enter(kTown, 1, 0, 1s);
  (void)take<Reserve>();
  pass(1s);
  EXPECT_EQ(code_of(late), Errc::too_late);
  EXPECT_EQ(take<Release>().size(), 1U);
}

TEST_F(RegistryEntry, ASilentNodeIsLeftForAnother) {
  begin({town(10, 2)}, {"a.1", "b.1"});
  (void)enter(kTown, 8);
  start(take_one<Create>());
  seat_all();
  (void)enter(kTown, 8);
  start(take_one<Create>());
  seat_all();
  const auto hero = enter(kTown);
  const Order unanswered = take_one<Reserve>();
  pass(kReserveWait);
  EXPECT_EQ(take<Release>().size(), 1U);
  const Order second = take_one<Reserve>();
  EXPECT_NE(second.node, unanswered.node);
  reply(second, Reply::To::reserve, {}, {8, 1});
  EXPECT_TRUE(granted(hero));
  reply(unanswered, Reply::To::reserve, {}, {8, 1});  // late: the seat is released already
  EXPECT_EQ(answers_.size(), 3U);
}

TEST_F(RegistryEntry, RefusedSeatsAreTriedElsewhereAFewTimes) {
  begin({town(10, 8)}, {"a.1", "b.1"});
  const auto hero = enter(kTown);
  std::size_t tries = 0;
  for (; waits(hero) && tries < 10; ++tries) {
    for (const Order& create : take<Create>()) start(create);
    reply(take_one<Reserve>(), Reply::To::reserve, Result<>(Errc::full), {10, 0});
  }
  EXPECT_EQ(tries, kEnterTries);
  EXPECT_EQ(code_of(hero), Errc::full);
}

TEST_F(RegistryEntry, AnOrderThatDoesNotArriveFreesItsSeats) {
  begin({town(10, 1)}, {"a.1"});
  const auto hero = enter(kTown);
  start(take_one<Create>());
  const Order lost = take_one<Reserve>();
  registry_->undelivered("a.1", lost.number, now_);
  collect();
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 0U);
  EXPECT_EQ(code_of(hero), Errc::too_late);  // the only line, and no further one may begin
}

}  // namespace
}  // namespace starbus::nodes::space
