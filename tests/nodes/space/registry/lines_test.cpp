/// When lines begin and end.
#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space {
namespace {

class RegistryLines : public RegistryFixture {
 protected:
  /// Lets so many in, one by one; spaces start at once.
  void fill(std::uint32_t players) {
    for (std::uint32_t i = 0; i < players; ++i) {
      (void)enter(kTown);
      for (const Order& create : take<Create>()) start(create);
      seat_all();
    }
  }
  const PlaceId kTown{"town", ""};
};

TEST_F(RegistryLines, AFurtherLineBeginsBeyondTheSoftCapacityAndOnlyOne) {
  begin({town(100, 4)}, {"a.1", "b.1"});
  fill(80);
  EXPECT_EQ(registry_->lines(kTown).size(), 1U);
  fill(1);
  pass(100ms);
  for (const Order& create : take<Create>()) start(create);
  EXPECT_EQ(registry_->lines(kTown).size(), 2U);
  fill(79);  // 160 of 2 x 80
  pass(100ms);
  EXPECT_EQ(registry_->lines(kTown).size(), 2U);
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 81U);
  EXPECT_EQ(registry_->lines(kTown)[1].taken, 79U);
  fill(1);
  pass(100ms);
  EXPECT_EQ(registry_->lines(kTown).size(), 3U);
  pass(5s);  // it still loads: it counts as capacity, and no other one begins
  EXPECT_EQ(registry_->lines(kTown).size(), 3U);
}

TEST_F(RegistryLines, PrecreatedLinesAreMadeAtOnceAndIdleDownToTheMinimum) {
  SpaceType type = town(100, 4);
  type.min_lines = 1;
  type.precreated = 3;
  begin({type}, {});
  EXPECT_TRUE(take<Create>().empty());
  registry_->node_came("a.1", now_);
  announce("a.1");
  pass(100ms);
  const auto creates = take<Create>();
  ASSERT_EQ(creates.size(), 3U);
  for (const Order& create : creates) start(create);
  play(type.idle - 200ms, {"a.1"});
  EXPECT_TRUE(take<Close>().empty());
  play(300ms, {"a.1"});
  const auto closes = take<Close>();
  ASSERT_EQ(closes.size(), 2U);  // the last ones first
  EXPECT_EQ(closes[0].life, creates[2].life);
  EXPECT_EQ(closes[1].life, creates[1].life);
  for (const Order& close : closes) end(close);
  play(2 * type.idle, {"a.1"});
  EXPECT_TRUE(take<Close>().empty());
  EXPECT_TRUE(take<Create>().empty());
  EXPECT_EQ(registry_->lines(kTown).size(), 1U);
}

TEST_F(RegistryLines, ALineThatStartsForSomebodyWhoGivesUpEndsUnlessOthersWantIt) {
  begin({town(), dungeon()}, {"a.1"});
  const PlaceId place{"dungeon", "team7"};
  const auto first = enter(place);
  const auto second = enter(place);
  const Order create = take_one<Create>();
  registry_->cancel(first, now_);
  collect();
  EXPECT_TRUE(take<Close>().empty()) << "the second one waits for it";
  registry_->cancel(second, now_);
  collect();
  const Order close = take_one<Close>();
  EXPECT_EQ(close.life, create.life);
  EXPECT_TRUE(std::get<Close>(close.what).force);
  const auto third = enter(place);
  pass(1s);
  EXPECT_TRUE(take<Create>().empty()) << "its place has one line, which ends";
  end(close);
  pass(100ms);
  start(take_one<Create>());
  seat_all();
  EXPECT_TRUE(granted(third));
}

TEST_F(RegistryLines, LinesThatAlwaysRunDoNotEndWithThoseWhoGiveUp) {
  SpaceType type = town();
  type.min_lines = type.precreated = 1;
  begin({type}, {"a.1"});
  pass(100ms);
  const Order create = take_one<Create>();
  registry_->cancel(enter(kTown), now_);
  collect();
  EXPECT_TRUE(take<Close>().empty());
  start(create);
  EXPECT_EQ(registry_->lines(kTown).size(), 1U);
}

TEST_F(RegistryLines, AnEmptySpaceEndsWhenItHasIdledUnlessSomebodyComesBack) {
  begin({dungeon()}, {"a.1"});
  const PlaceId place{"dungeon", "team7"};
  (void)enter(place);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  row(create.life).seats = {};  // they have left
  play(dungeon().idle - 1s, {"a.1"});
  EXPECT_TRUE(take<Close>().empty());
  (void)enter(place);
  seat_all();
  play(dungeon().idle, {"a.1"});
  EXPECT_TRUE(take<Close>().empty());
  row(create.life).seats = {};
  play(dungeon().idle + 1s, {"a.1"});
  const Order close = take_one<Close>();
  EXPECT_FALSE(std::get<Close>(close.what).force);
  // Somebody was on the way: the node refuses, and the space goes on.
  row(create.life).seats = {1, 0};
  reply(close, Reply::To::close, Result<>(Errc::occupied), {1, 0});
  EXPECT_EQ(registry_->lines(place)[0].state, "ready");
  row(create.life).seats = {};
  play(dungeon().idle + 1s, {"a.1"});
  end(take_one<Close>());
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryLines, ACountdownLetsNobodyInAndEndsWhoeverIsThere) {
  begin({dungeon()}, {"a.1"});
  const PlaceId place{"dungeon", "match"};
  (void)enter(place);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  EXPECT_EQ(registry_->countdown({place, 2}, {}, now_).error(), Errc::unknown_space);
  EXPECT_EQ(registry_->countdown({place, 1}, kLongestCountdown + 1ms, now_).error(),
            Errc::bad_request);
  ASSERT_TRUE(registry_->countdown({place, 1}, {}, now_));
  collect();
  EXPECT_EQ(std::get<Countdown>(take_one<Countdown>().what).after, dungeon().countdown);
  EXPECT_EQ(registry_->countdown({place, 1}, {}, now_).error(), Errc::ends);
  const auto late = enter(place);  // waits for the next one
  EXPECT_TRUE(take<Reserve>().empty());
  play(dungeon().countdown, {"a.1"});
  const Order close = take_one<Close>();
  EXPECT_TRUE(std::get<Close>(close.what).force);
  EXPECT_TRUE(waits(late));
  EXPECT_TRUE(take<Create>().empty());  // one line, and its end is not acknowledged
  end(close);
  const Order again = take_one<Create>();
  EXPECT_NE(again.life, create.life);
  start(again);
  seat_all();
  EXPECT_TRUE(granted(late));
}

TEST_F(RegistryLines, ASpaceThatEndsByItselfLetsNobodyInAndGoes) {
  begin({dungeon()}, {"a.1"});
  const PlaceId place{"dungeon", "match"};
  (void)enter(place);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  row(create.life).ending = true;
  row(create.life).ends_in = 5s;
  announce("a.1");
  EXPECT_EQ(registry_->lines(place)[0].state, "counting");
  EXPECT_EQ(code_of(enter(place, 1, 1)), Errc::ends);
  forget(create);
  announce("a.1");
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryLines, ASpaceThatDoesNotStartIsGivenUp) {
  begin({dungeon()}, {"a.1", "b.1"});
  const PlaceId place{"dungeon", "k"};
  const auto hero = enter(place, 1, 0, kLongestPatience);
  const Order create = take_one<Create>();
  EXPECT_EQ(create.node, "a.1");
  pass(kCreateWait);
  const Order close = take_one<Close>();
  EXPECT_TRUE(std::get<Close>(close.what).force);
  EXPECT_EQ(registry_->lines(place)[0].state, "ending");
  reply(create, Reply::To::create);  // too late: it ends all the same
  EXPECT_EQ(registry_->lines(place)[0].state, "ending");
  end(close);
  announce("b.1");
  pass(kCreatePause);
  const Order second = take_one<Create>();
  EXPECT_EQ(second.node, "b.1");
  start(second);
  seat_all();
  EXPECT_TRUE(granted(hero));
}

TEST_F(RegistryLines, RepeatedFailuresAreToldAndPause) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown, 1, 0, kLongestPatience);
  Time pause = kCreatePause;
  for (std::size_t i = 1; i <= kCreateTries; ++i) {
    ASSERT_TRUE(waits(hero));
    reply(take_one<Create>(), Reply::To::create, Result<>(Error(Errc::start_failed, "no map")));
    play(std::max<Time>(pause, kAvoidNode) - 100ms, {"a.1"});
    if (i < kCreateTries) {
      EXPECT_TRUE(take<Create>().empty());
      play(200ms, {"a.1"});
    }
    pause *= 2;
  }
  ASSERT_EQ(code_of(hero), Errc::create_failed);
  EXPECT_THAT(answers_.at(hero).error().detail, ::testing::HasSubstr("no map"));
  for (int i = 0; i < 8; ++i) {  // the pause stays at its most
    const auto next = enter(kTown, 1, 0, kLongestPatience);
    play(kLongestPause - 1s, {"a.1"});
    for (const Order& create : take<Create>()) {
      reply(create, Reply::To::create, Result<>(Error(Errc::start_failed, "no map")));
    }
    play(2s, {"a.1"});
    EXPECT_EQ(code_of(next), Errc::create_failed);
  }
  (void)enter(kTown, 1, 0, kLongestPatience);
  (void)take<Create>();
  play(kLongestPause, {"a.1"});
}

TEST_F(RegistryLines, WhereItFailedIsAvoided) {
  begin({town()}, {"a.1", "b.1"});
  const auto hero = enter(kTown);
  const Order create = take_one<Create>();
  EXPECT_EQ(create.node, "a.1");
  registry_->node_left("a.1", now_);  // it dies with the space
  collect();
  EXPECT_TRUE(waits(hero));
  registry_->node_came("a.1", now_);
  announce("a.1");
  announce("b.1", 500);
  pass(kCreatePause);
  const Order second = take_one<Create>();
  EXPECT_EQ(second.node, "b.1");  // busier, but not where it failed
  reply(second, Reply::To::create, Result<>(Errc::start_failed));
  play(kAvoidNode - kCreatePause, {"a.1"});
  EXPECT_EQ(take_one<Create>().node, "a.1");
}

TEST_F(RegistryLines, TheSpacesOfADeadNodeComeUpElsewhere) {
  SpaceType type = town(100, 2);
  type.min_lines = 1;
  begin({type}, {"a.1", "b.1"});
  const Order first = take_one<Create>();
  start(first);
  const auto hero = enter(kTown);
  (void)take_one<Reserve>();
  registry_->node_left(first.node, now_);
  collect();
  const Order second = take_one<Create>();
  EXPECT_NE(second.node, first.node);
  start(second);
  seat_all();
  ASSERT_TRUE(granted(hero));
  EXPECT_EQ(answers_.at(hero)->life, second.life);
}

/// The directory may show a node's end before it frees the node's names: until then nobody else is
/// ordered to run a space under one of them.
TEST_F(RegistryLines, ANumberIsGivenAgainOnceTheDirectoryHasFreedItsName) {
  SpaceType type = town(1, 4);
  type.soft_capacity = 1;
  begin({type}, {"a.1", "b.1"});
  const auto first = enter(kTown);
  const Order order = take_one<Create>();
  start(order);
  registry_->name_held({kTown, 1}, order.node);
  seat_all();
  ASSERT_TRUE(granted(first));

  registry_->node_left(order.node, now_);
  EXPECT_TRUE(registry_->spaces().empty());
  const auto second = enter(kTown);
  const Order beside = take_one<Create>();
  EXPECT_EQ(std::get<Create>(beside.what).name.line, 2U);
  EXPECT_NE(beside.node, order.node);
  start(beside);
  seat_all();
  ASSERT_TRUE(granted(second));

  registry_->name_freed({kTown, 1});
  enter(kTown);  // a line holds one player
  EXPECT_EQ(std::get<Create>(take_one<Create>().what).name.line, 1U);
}

TEST_F(RegistryLines, UnansweredOrdersAreRepeated) {
  begin({dungeon()}, {"a.1"});
  const PlaceId place{"dungeon", "k"};
  (void)enter(place, 1, 0, kLongestPatience);
  const Order create = take_one<Create>();
  pass(kOrderAgain - 1ms);
  EXPECT_TRUE(take<Create>().empty());
  pass(1ms);
  const Order again = take_one<Create>();
  EXPECT_EQ(again.life, create.life);
  EXPECT_GT(again.number, create.number);
  start(again);
  seat_all();
  ASSERT_TRUE(registry_->countdown({place, 1}, 0s, now_));
  pass(0s);
  const Order close = take_one<Close>();
  for (int i = 0; i < 3; ++i) {
    pass(kOrderAgain);
    EXPECT_EQ(take_one<Close>().life, close.life);
    EXPECT_EQ(registry_->spaces().size(), 1U);  // its name is taken until the node says otherwise
  }
  forget(create);
  announce("a.1");  // the answers were lost
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryLines, OperatorsEndEmptySpacesAtOnce) {
  begin({town()}, {"a.1"});
  (void)enter(kTown);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  EXPECT_EQ(registry_->close({kTown, 1}, now_).error(), Errc::occupied);
  EXPECT_EQ(registry_->close({kTown, 2}, now_).error(), Errc::unknown_space);
  row(create.life).seats = {};
  announce("a.1");
  ASSERT_TRUE(registry_->close({kTown, 1}, now_));
  collect();
  end(take_one<Close>());
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryLines, ReloadedTypesGoOnAndThoseThatAreGoneEnd) {
  begin({town(), dungeon()}, {"a.1"});
  (void)enter(kTown);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  registry_->reload({{"dungeon", dungeon()}}, now_);
  collect();
  EXPECT_EQ(code_of(enter(kTown)), Errc::unknown_type);
  EXPECT_EQ(registry_->spaces().size(), 1U);
  row(create.life).seats = {};
  play(kDefaultIdle + 1s, {"a.1"});
  end(take_one<Close>());
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryLines, ADrainingNodesLinesAreReplaced) {
  SpaceType type = town(100, 4);
  type.min_lines = 1;
  begin({type}, {"a.1", "b.1"});
  const Order first = take_one<Create>();
  start(first);
  Announcement news;
  news.term = kTerm;
  news.seen = seen_;
  news.draining = true;
  news.types = {"town"};
  news.spaces = rows_[first.node];
  registry_->announced(first.node, news, now_);
  collect();
  const Order second = take_one<Create>();
  EXPECT_NE(second.node, first.node);
  EXPECT_EQ(code_of(enter(kTown, 1, 1)), Errc::ends);
}

/// One that may run once begins beside the one that ends, under another number; and not twice.
TEST_F(RegistryLines, LinesOfADrainingNodeLeaveRoomForOthers) {
  begin({town(5, 1)}, {"a.1", "b.1"});
  const std::uint64_t resident = enter(kTown);
  const Order first = take_one<Create>();
  start(first);
  seat_all();
  EXPECT_TRUE(granted(resident));
  Announcement news;
  news.term = kTerm;
  news.seen = seen_;
  news.draining = true;
  news.types = {"town"};
  news.spaces = rows_[first.node];
  registry_->announced(first.node, news, now_);
  collect();
  std::vector<std::uint64_t> crowd;
  for (int i = 0; i < 5; ++i) crowd.push_back(enter(kTown));
  const Order second = take_one<Create>();
  EXPECT_NE(second.node, first.node);
  EXPECT_EQ(std::get<Create>(second.what).name.line, 2U);
  start(second);
  seat_all();
  for (const std::uint64_t each : crowd) EXPECT_TRUE(granted(each));
  EXPECT_EQ(code_of(enter(kTown)), Errc::full) << "the one line that stays is full";
  EXPECT_TRUE(take<Create>().empty());
}

TEST_F(RegistryLines, SeatsThatAreGivenBackAreReleasedAtTheirNode) {
  begin({town(5, 1)}, {"a.1"});
  const std::uint64_t request = enter(kTown, 2);
  start(take_one<Create>());
  seat_all();
  ASSERT_TRUE(granted(request));
  const Grant grant = *answers_.at(request);
  EXPECT_TRUE(registry_->give_back(grant.life, grant.tickets));
  collect();
  const Order order = take_one<Release>();
  EXPECT_EQ(order.node, "a.1");
  EXPECT_EQ(std::get<Release>(order.what).tickets, grant.tickets);
  EXPECT_TRUE(registry_->give_back({kTerm, 99}, grant.tickets)) << "a space that has gone";
  const std::vector<Ticket> many(kMaxTeam + 1);
  EXPECT_EQ(registry_->give_back(grant.life, many).error(), Errc::bad_request);
  collect();
  EXPECT_TRUE(take<Release>().empty());
}

}  // namespace
}  // namespace starbus::nodes::space
