/// A scene that is played in a space of a real host: monsters, traps, portals and quests.
#include "nodes/space/scene/scene_director.hpp"

#include "tests/nodes/space/node/support.hpp"

namespace starbus::nodes::space::node_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Forest final : public GameSpace, private SceneGame {
 public:
  Forest(SpaceInit init, SceneData data, std::vector<std::string>& said)
      : GameSpace(std::move(init)), said_(said), scene(*this, *this, std::move(data)) {}

  bool full = false;  // nothing can be made
  bool wild = false;  // its hooks throw
  std::size_t made = 0;

 private:
  void on_start(const std::string&, Done done) override { done(scene.begin()); }
  void on_tick(const SpaceTick& tick) override { scene.tick(tick); }
  void on_after_tick(const SpaceTick&) override { scene.after_tick(); }
  void on_leave(entity::Entity& entity) override { scene.left(entity); }
  void on_end(Done done) override {
    scene.end();
    done({});
  }
  entity::Entity* make(const SpawnRow& row) override {
    if (full) return nullptr;
    if (wild) throw std::runtime_error("it threw");
    entity::CreateOptions how;
    how.persistent_id = row.kind + std::to_string(++made);
    return entities().create_with<Walker>(how).value();
  }
  void on_trap(const TrapRow& row, entity::Entity& entity, bool inside) override {
    said_.push_back("trap " + std::to_string(row.id) + (inside ? " has " : " lost ") +
                    entity.persistent_id());
  }
  void on_portal(const PortalRow& row, entity::Entity& player) override {
    said_.push_back(player.persistent_id() + " to " + to_string(row.to));
  }
  void on_quest(std::uint32_t id) override { said_.push_back("quest " + std::to_string(id)); }

  std::vector<std::string>& said_;

 public:
  SceneDirector scene;
};

SceneData forest_scene() {
  SceneData scene;
  SpawnRow wolf;
  wolf.id = 5;
  wolf.kind = "wolf";
  wolf.at = {100, 100};
  wolf.count = 2;
  wolf.respawn = 200ms;
  scene.spawns = {wolf};
  TrapRow plate;
  plate.id = 1;
  plate.at = {50, 50};
  plate.radius = 2;
  TrapRow pit = plate;
  pit.id = 2;
  pit.at = {20, 20};
  pit.targets = TrapTargets::others;
  pit.once = true;
  scene.traps = {plate, pit};
  PortalRow gate;
  gate.id = 1;
  gate.at = {150, 150};
  gate.radius = 2;
  gate.to = {"dungeon", "deep"};
  scene.portals = {gate};
  QuestRow kills;
  kills.id = 1;
  kills.kind = QuestKind::kill_all;
  kills.monsters = {5};
  kills.next = 2;
  QuestRow plates;
  plates.id = 2;
  plates.kind = QuestKind::fill_all;
  plates.traps = {1};
  plates.next = 3;
  QuestRow last;
  last.id = 3;
  scene.quests = {kills, plates, last};
  return scene;
}

class SceneDirectorTest : public SpaceOrdersTest {
 protected:
  boost::asio::awaitable<Forest*> forest() {
    const bool begun = co_await begin({}, [this](Place& at) {
      at.host.declare<Forest>("forest", [this](SpaceInit init) {
        return std::make_unique<Forest>(std::move(init), forest_scene(), said);
      });
    });
    EXPECT_TRUE(begun);
    SpaceType type = town_type();
    type.name = "forest";
    decltype(Order::what) what = Create{{{"forest", ""}, 1}, type, {}};
    const Error refused = co_await order(1, std::move(what));
    EXPECT_EQ(refused.code, Code{}) << refused.to_string();
    const SpaceName name{{"forest", ""}, 1};
    const bool there = co_await until([&] { return a->host.find(name) != nullptr; });
    co_return there ? static_cast<Forest*>(a->host.find(name)) : nullptr;
  }
  /// A player that has come with a ticket.
  boost::asio::awaitable<Walker*> player(const std::string& name, aoi::Position at) {
    co_await reserve(1, ++tickets);
    Walker& made = a->walker(name);
    const auto arrived = a->host.arrive(made, {term, tickets}, at);
    EXPECT_TRUE(arrived) << arrived.error().to_string();
    co_return &made;
  }
  bool has(const std::string& what) const { return std::ranges::find(said, what) != said.end(); }
  static void go(Forest& forest, entity::Entity& entity, aoi::Position to) {
    EXPECT_TRUE(forest.aoi().move(*forest.aoi_id(entity), to));
  }
  std::vector<std::string> said;
  std::uint64_t tickets = 0;
};

TEST_F(SceneDirectorTest, WhatIsSpawnedIsKilledComesBackAndLeadsTheQuests) {
  run([this]() -> Task {
    Forest* const wood = co_await forest();
    CO_TRUE(wood != nullptr);
    CO_TRUE(co_await until([&] { return wood->others() == 2; }));
    EXPECT_THAT(said, ElementsAre("quest 1"));
    entity::Entity* wolf = nullptr;
    wood->for_each_other([&](entity::Entity& each) { wolf = &each; });
    EXPECT_EQ(wood->scene.row_of(*wolf), 5u);
    EXPECT_EQ(wood->aoi().position(*wood->aoi_id(*wolf)), (aoi::Position{100, 100}));
    wood->scene.killed(*wolf);
    EXPECT_EQ(wood->scene.flow().active(), 2u);
    wolf->destroy();
    CO_TRUE(co_await until([&] { return wood->made == 3; }));
    EXPECT_EQ(wood->scene.spawns().living(5), 2u);
    EXPECT_THAT(said, ElementsAre("quest 1", "quest 2"));
  });
}

TEST_F(SceneDirectorTest, TrapsNoticeTheirTargetsAndForgetWhoLeaves) {
  run([this]() -> Task {
    Forest* const wood = co_await forest();
    CO_TRUE(wood != nullptr);
    CO_TRUE(co_await until([&] { return wood->others() == 2; }));
    std::vector<entity::Entity*> wolves;
    wood->for_each_other([&](entity::Entity& each) { wolves.push_back(&each); });
    wood->scene.change_to(2);
    // Of others alone, and one of them.
    go(*wood, *wolves.at(0), {20, 20});
    go(*wood, *wolves.at(1), {50, 50});
    CO_TRUE(co_await until([&] { return has("trap 2 has wolf1"); }));
    EXPECT_EQ(wood->scene.inside(1), 0u);
    go(*wood, *wolves.at(1), {20, 20});
    Walker* const ada = co_await player("ada", {10, 10});
    go(*wood, *ada, {50, 51});
    CO_TRUE(co_await until([&] { return has("trap 1 has ada"); }));
    CO_TRUE(co_await until([&] { return has("quest 3"); }));
    EXPECT_FALSE(has("trap 2 has wolf2")) << "it is used up";
    EXPECT_EQ(wood->scene.inside(1), 1u);
    EXPECT_TRUE(wood->leave(*ada));
    EXPECT_EQ(wood->scene.inside(1), 0u);
    EXPECT_TRUE(has("trap 1 lost ada"));
    go(*wood, *wolves.at(0), {30, 30});
    CO_TRUE(co_await until([&] { return has("trap 2 lost wolf1"); }));
  });
}

TEST_F(SceneDirectorTest, APortalIsForPlayers) {
  run([this]() -> Task {
    Forest* const wood = co_await forest();
    CO_TRUE(wood != nullptr);
    CO_TRUE(co_await until([&] { return wood->others() == 2; }));
    wood->for_each_other([&](entity::Entity& wolf) { go(*wood, wolf, {150, 150}); });
    Walker* const ada = co_await player("ada", {10, 10});
    go(*wood, *ada, {150, 150});
    CO_TRUE(co_await until([&] { return has("ada to dungeon.deep"); }));
    EXPECT_THAT(said, ElementsAre("quest 1", "ada to dungeon.deep"));
  });
}

TEST_F(SceneDirectorTest, WhatCannotBeMadeIsTriedAgain) {
  run([this]() -> Task {
    Forest* const wood = co_await forest();
    CO_TRUE(wood != nullptr);
    wood->full = true;
    CO_TRUE(co_await until([&] { return wood->scene.spawns().due().has_value(); }));
    wood->full = false;
    wood->wild = true;
    CO_TRUE(co_await until([&] { return wood->scene.flow().active() == 1; }));
    wood->wild = false;
    CO_TRUE(co_await until([&] { return wood->others() == 2; }));
    EXPECT_EQ(wood->scene.spawns().living(), 2u);
  });
}

TEST_F(SceneDirectorTest, NothingIsMadeInASpaceThatEnds) {
  run([this]() -> Task {
    Forest* const wood = co_await forest();
    CO_TRUE(wood != nullptr);
    CO_TRUE(co_await until([&] { return wood->others() == 2; }));
    decltype(Order::what) what = Close{true};
    const Error refused = co_await order(1, std::move(what));
    EXPECT_EQ(refused.code, Code{}) << refused.to_string();
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    CO_TRUE(co_await until([&] { return a->entities.entities().size() == 0; }));
    EXPECT_THAT(said, ElementsAre("quest 1"));
  });
}

}  // namespace
}  // namespace starbus::nodes::space::node_test
