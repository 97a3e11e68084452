/// The start of a service, after a crash of the one before.
#include "nodes/space/host/limits.hpp"
#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space {
namespace {

class RegistryRebuild : public RegistryFixture {
 protected:
  /// Begins with nodes that have not announced themselves.
  void wake(const std::vector<SpaceType>& types, const std::vector<std::string>& nodes) {
    SpaceTypes all;
    for (const SpaceType& type : types) all[type.name] = type;
    registry_.emplace(kTerm, all, now_);
    for (const std::string& node : nodes) registry_->node_came(node, now_);
  }
  /// A line that an earlier service had created.
  void has(const std::string& node, std::uint32_t line, std::uint32_t players,
           std::uint64_t number = 1) {
    rows_[node].push_back({{kTerm - 1, number}, {kTown, line}, true, false, {}, 100, {players, 0}});
  }
  const PlaceId kTown{"town", ""};
};

TEST_F(RegistryRebuild, NothingIsGrantedBeforeAllNodesHaveAnnounced) {
  SpaceType type = town();
  type.min_lines = 1;
  wake({type}, {"a.1", "b.1"});
  has("b.1", 1, 40);
  const auto hero = enter(kTown);
  registry_->directory_complete(now_);
  announce("a.1");
  pass(1s);
  EXPECT_TRUE(registry_->rebuilding());
  EXPECT_TRUE(waits(hero));
  EXPECT_TRUE(take<Create>().empty());
  announce("b.1");
  EXPECT_FALSE(registry_->rebuilding());
  EXPECT_TRUE(take<Create>().empty());  // the line that runs is the minimum
  const Order reserve = take_one<Reserve>();
  EXPECT_EQ(reserve.life, (Life{kTerm - 1, 1}));
  reply(reserve, Reply::To::reserve, {}, {40, 1});
  EXPECT_TRUE(granted(hero));
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 41U);
}

TEST_F(RegistryRebuild, ADirectoryThatIsNotCompleteHoldsEverything) {
  wake({town()}, {});
  const auto hero = enter(kTown, 1, 0, kLongestPatience);
  pass(2 * kRebuildWait);
  EXPECT_TRUE(registry_->rebuilding());
  EXPECT_TRUE(waits(hero));
  pass(kLongestPatience);
  EXPECT_EQ(code_of(hero), Errc::too_late);
}

TEST_F(RegistryRebuild, ASilentNodeIsAskedAgainAndGivenUpOn) {
  SpaceType type = town(100, 2);
  type.min_lines = 1;
  wake({type}, {"a.1", "b.1"});
  registry_->name_held({kTown, 1}, "b.1");
  registry_->directory_complete(now_);
  announce("a.1");
  EXPECT_EQ(take<Hello>().size(), 2U);
  pass(kHelloAgain);
  EXPECT_EQ(take_one<Hello>().node, "b.1");
  pass(kRebuildWait - kHelloAgain - 1ms);
  EXPECT_TRUE(registry_->rebuilding());
  pass(1ms);
  EXPECT_FALSE(registry_->rebuilding());
  EXPECT_TRUE(take<Create>().empty());  // what is silent counts, and its name is taken
  EXPECT_EQ(registry_->lines(kTown)[0].state, "unheard");
  has("b.1", 1, 7);
  announce("b.1");
  EXPECT_EQ(registry_->lines(kTown)[0].state, "ready");
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 7U);
}

TEST_F(RegistryRebuild, ASilentNodeThatDiesFreesItsNames) {
  wake({dungeon()}, {"a.1", "b.1"});
  const PlaceId place{"dungeon", "k"};
  registry_->name_held({place, 1}, "b.1");
  registry_->directory_complete(now_);
  announce("a.1");
  const auto hero = enter(place, 1, 0, kLongestPatience);
  pass(kRebuildWait);
  EXPECT_TRUE(take<Create>().empty());
  EXPECT_TRUE(waits(hero));
  registry_->name_freed({place, 1});
  registry_->node_left("b.1", now_);
  announce("a.1");
  pass(100ms);
  start(take_one<Create>());
  seat_all();
  EXPECT_TRUE(granted(hero));
}

TEST_F(RegistryRebuild, ASilentNodeHasNoMoreSpacesThanANodeMayRun) {
  wake({dungeon()}, {"a.1", "b.1"});
  for (std::size_t i = 1; i <= kMaxSpaces; ++i) {
    registry_->name_held({{"dungeon", "k" + std::to_string(i)}, 1}, "b.1");
  }
  registry_->directory_complete(now_);
  announce("a.1");
  pass(kRebuildWait);
  EXPECT_EQ(registry_->spaces().size(), std::size_t{kMaxHosted});
  announce("a.1");
  const auto hero = enter({"dungeon", "another"});
  start(take_one<Create>());
  seat_all();
  EXPECT_TRUE(granted(hero));
}

TEST_F(RegistryRebuild, ASecondSpaceOfANameIsEnded) {
  wake({town()}, {"a.1", "b.1"});
  registry_->directory_complete(now_);
  has("a.1", 1, 3, 1);
  has("b.1", 1, 0, 2);
  announce("a.1");
  announce("b.1");
  const Order close = take_one<Close>();
  EXPECT_EQ(close.node, "b.1");
  EXPECT_TRUE(std::get<Close>(close.what).force);
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 3U);
}

TEST_F(RegistryRebuild, CountdownsGoOn) {
  wake({town()}, {"a.1"});
  registry_->directory_complete(now_);
  has("a.1", 1, 3);
  rows_["a.1"][0].ending = true;
  rows_["a.1"][0].ends_in = 4s;
  announce("a.1");
  EXPECT_EQ(registry_->lines(kTown)[0].state, "counting");
  pass(4s - 1ms);
  EXPECT_TRUE(take<Close>().empty());
  pass(1ms);
  EXPECT_EQ(take<Close>().size(), 1U);
}

TEST_F(RegistryRebuild, ALaterServiceIsNoticedAndEarlierWordsAreIgnored) {
  wake({town()}, {"a.1"});
  registry_->directory_complete(now_);
  Announcement news;
  news.term = kTerm - 1;
  registry_->announced("a.1", news, now_);
  EXPECT_TRUE(registry_->rebuilding());
  EXPECT_FALSE(registry_->superseded());
  news.term = kTerm + 1;
  registry_->announced("a.1", news, now_);
  EXPECT_TRUE(registry_->superseded());
}

class RegistryBounds : public RegistryFixture {};

TEST_F(RegistryBounds, WaitersAreBounded) {
  begin({town()}, {});
  for (std::size_t i = 0; i < kMaxWaiters; ++i) ASSERT_TRUE(waits(enter({"town", ""})));
  EXPECT_EQ(code_of(enter({"town", ""})), Errc::would_block);
  registry_->cancel(1, now_);
  EXPECT_TRUE(waits(enter({"town", ""})));
}

TEST_F(RegistryBounds, ACrowdThatWaitsIsLookedAtOnceAStep) {
  const PlaceId place{"town", ""};
  begin({town(2)}, {"a.1"});
  enter(place);
  start(take_one<Create>());
  reply(take_one<Reserve>(), Reply::To::reserve, {}, {1, 0});
  enter(place);
  const Order last_seat = take_one<Reserve>();
  for (std::size_t i = 0; i <= kCrowd; ++i) enter(place);
  EXPECT_TRUE(take<Reserve>().empty());
  reply(last_seat, Reply::To::reserve, {}, {0, 0});  // both have left
  EXPECT_TRUE(take<Reserve>().empty());
  pass(100ms);
  EXPECT_EQ(take<Reserve>().size(), 2U);
}

TEST_F(RegistryBounds, NodesAreBounded) {
  begin({town()}, {});
  for (std::size_t i = 0; i <= kMaxSpaceNodes; ++i) {
    registry_->node_came("n." + std::to_string(i), now_);
  }
  EXPECT_EQ(registry_->nodes().nodes().size(), kMaxSpaceNodes);
  EXPECT_EQ(registry_->nodes().left_out(), 1U);
  registry_->take_orders();
  registry_->node_left("n.0", now_);
  const auto orders = registry_->take_orders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].node, "n." + std::to_string(kMaxSpaceNodes));
  EXPECT_EQ(registry_->nodes().left_out(), 0U);
}

TEST_F(RegistryBounds, FewSpacesStartOnANodeAtOnce) {
  SpaceType type = town(100, 20);
  type.min_lines = type.precreated = 10;
  begin({type}, {"a.1"});
  auto creates = take<Create>();
  EXPECT_EQ(creates.size(), kCreatesPerNode);
  start(creates[0]);
  EXPECT_EQ(take<Create>().size(), 1U);
}

TEST_F(RegistryBounds, ManyPlacesAreLookedAtInSeveralSteps) {
  registry_.emplace(kTerm, SpaceTypes{{"dungeon", dungeon()}}, now_);
  constexpr std::uint64_t kMany = kMaxHosted;
  const std::vector<std::string> nodes = {"a.1", "a.2", "a.3"};
  for (std::uint64_t i = 0; i < nodes.size() * kMany; ++i) {
    const SpaceName name{{"dungeon", std::to_string(i)}, 1};
    rows_[nodes[i / kMany]].push_back({{kTerm - 1, i + 1}, name, true, false, {}, 5, {}});
  }
  for (const std::string& node : nodes) registry_->node_came(node, now_);
  registry_->directory_complete(now_);
  for (const std::string& node : nodes) announce(node);
  std::set<Life> closed;
  for (const std::size_t expected : {1'024U, 2'048U, 3'072U}) {
    pass(closed.empty() ? dungeon().idle : 100ms);
    for (const Order& order : take<Close>()) closed.insert(order.life);
    EXPECT_EQ(closed.size(), expected);
  }
}

TEST_F(RegistryBounds, SpacesAreBounded) {
  registry_.emplace(kTerm, SpaceTypes{{"dungeon", dungeon()}}, now_);
  const auto node_of = [](std::uint64_t i) { return "a." + std::to_string((i - 1) / kMaxHosted); };
  for (std::uint64_t i = 1; i <= kMaxSpaces + 1; ++i) {  // all of an earlier service
    const SpaceName name{{"dungeon", std::to_string(i)}, 1};
    rows_[node_of(i)].push_back({{kTerm - 1, i}, name, true, false, {}, 5, {}});
  }
  for (const auto& [node, rows] : rows_) registry_->node_came(node, now_);
  registry_->directory_complete(now_);
  for (std::uint64_t i = 1; i <= kMaxSpaces + 1; i += kMaxHosted) announce(node_of(i));
  EXPECT_EQ(registry_->spaces().size(), kMaxSpaces);
  EXPECT_EQ(take_one<Close>().node, node_of(kMaxSpaces + 1)) << "one that no service has ordered";
  EXPECT_EQ(code_of(enter({"dungeon", "new"})), Errc::would_block);
  EXPECT_TRUE(waits(enter({"dungeon", "1"})));  // runs: it has asked for a seat
  EXPECT_EQ(take<Reserve>().size(), 1U);
}

}  // namespace
}  // namespace starbus::nodes::space
