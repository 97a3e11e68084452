/// A space with a crowd and without a bus: walkers with a Mover and an ActorNav, whose crowd is a
/// pool of this process, or answers what the test says.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aoi/world.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/nav/crowd_pool.hpp"
#include "nodes/space/nav/space_nav.hpp"
#include "nodes/space/sight/space_sight.hpp"
#include "nodes/space/types/space_type.hpp"
#include "tests/nodes/nav/field.hpp"

namespace starbus::nodes::crowds::test {

using namespace std::chrono_literals;

struct WolfState : entity::Properties<WolfState> {
  STARBUS_FIELDS(entity::StateOf<ActorNav> actor_nav{this};)
};
class Wolf final
    : public entity::EntityOf<Wolf, entity::Entity, entity::Components<sight::Mover, ActorNav>> {
 public:
  static constexpr std::string_view kTypeName = "nav_wolf";
  ActorNav& nav() { return *component<ActorNav>(); }
  sight::Mover& mover() { return *component<sight::Mover>(); }
  movement::Position at() { return mover().state().position; }
  WolfState state;
};

struct DoorState : entity::Properties<DoorState> {
  STARBUS_FIELDS(entity::StateOf<NavObstacle> nav_obstacle{this};)
};
class Door final
    : public entity::EntityOf<Door, entity::Entity, entity::Components<sight::Mover, NavObstacle>> {
 public:
  static constexpr std::string_view kTypeName = "nav_door";
  NavObstacle& obstacle() { return *component<NavObstacle>(); }
  sight::Mover& mover() { return *component<sight::Mover>(); }
  DoorState state;
};

/// Keeps what a space asks, and answers when the test says so.
class SlowPort final : public CrowdPort {
 public:
  void create(const CrowdSpec&, Made done) override {
    ++creates;
    if (refuse_with) return done(*refuse_with);
    if (hold_creates) {
      held = std::move(done);
      return;
    }
    done(CrowdId{++last, 1});
  }
  void step(Batch batch, Answered done) override {
    batches.push_back(std::move(batch));
    waiting.push_back(std::move(done));
  }
  void destroy(CrowdId crowd) override { destroyed.push_back(crowd); }
  /// The oldest batch that waits.
  void answer(Result<Answer> answer) {
    const Answered done = std::move(waiting.front());
    waiting.pop_front();
    done(std::move(answer));
  }
  /// Nothing new.
  void answer() { answer(Answer{}); }

  std::optional<Error> refuse_with;
  bool hold_creates = false;
  Made held;
  std::uint32_t last = 0;
  int creates = 0;
  std::vector<Batch> batches;
  std::deque<Answered> waiting;
  std::vector<CrowdId> destroyed;
};

/// One space of 100 m, which ticks when told.
class Meadow {
 public:
  Meadow(CrowdPort& port, const space::NavType& type)
      : nav(std::make_unique<SpaceNav>(port, type, "meadow-1")) {
    nav->start([this](const bus::Result<>& result) { started = result; });
  }
  void enter(entity::Entity& entity, float x, float y) {
    const auto id = world.add({.position = {x, y, 0}});
    ASSERT_TRUE(id);
    ids[&entity] = *id;
    ASSERT_TRUE(sight.enter(entity, *id, {x, y, 0}, nullptr));
    nav->enters(entity);
  }
  void leave(entity::Entity& entity) {
    nav->leaves(entity);
    sight.leave(entity, ids.at(&entity));
    ASSERT_TRUE(world.remove(ids.at(&entity)));
    ids.erase(&entity);
  }
  void tick(std::chrono::nanoseconds passed = 100ms) {
    time += passed;
    nav->tick({.number = ++ticks, .time = time, .passed = passed});
  }

  static space::SpaceType square_type() {
    space::SpaceType type;
    type.max = {100, 100, 0};
    type.sight = type.cell = 30;
    return type;
  }

  aoi::World world = *aoi::World::create(space::world_options(square_type()));
  movement::MoveRules rules;
  sight::SpaceSight sight{world, rules, {}};
  std::unique_ptr<SpaceNav> nav;
  std::optional<bus::Result<>> started;
  std::chrono::nanoseconds time{};
  std::uint64_t ticks = 0;
  std::map<const entity::Entity*, aoi::EntityId> ids;
};

class NavTestBase : public ::testing::Test {
 protected:
  NavTestBase() {
    EXPECT_TRUE(entity::declare_entity<Wolf>(types));
    EXPECT_TRUE(entity::declare_entity<Door>(types));
  }

  static space::NavType type(std::uint32_t walkers = 16) {
    space::NavType type;
    type.crowd = spec("field.txt", walkers);
    type.declared = "towns.toml:7:7: ";
    return type;
  }
  Wolf& wolf() {
    Wolf& made = **entities.create<Wolf>();
    static_cast<void>(made.nav().ends().add([this, &made](const NavEnd& end) {
      ends.push_back(end);
      if (on_end) on_end(made, end);
    }));
    return made;
  }

  entity::EntityManager manager(entity::TimerWheel& timers) {
    return {
        types, entity::PersistentIdSource("n", 1),
        [this] { return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{++drawn}); },
        entity::EntityOptions{.timers = &timers, .cluster_clock = [] { return entity::Time{}; }}};
  }

  entity::EntityFactory types;
  std::uint64_t drawn = 0;
  entity::TimerWheel wheel;
  entity::TimerWheel other_wheel;
  entity::EntityManager entities = manager(wheel);
  entity::EntityManager other_process = manager(other_wheel);
  std::vector<NavEnd> ends;
  std::function<void(Wolf&, const NavEnd&)> on_end;
};

/// With a pool of this process.
class SpaceNavPool : public NavTestBase {
 protected:
  SpaceNavPool() { folder.write("field.txt", square(100)); }
  void begin(const space::NavType& how) {
    meadow.emplace(pool, how);
    ASSERT_TRUE(loop.run_until([&] { return meadow->started.has_value(); }));
    ASSERT_TRUE(*meadow->started);
  }
  /// Ticks until it is so; false: not within so many.
  template <class So>
  bool until(So so, int ticks = 600) {
    for (; ticks > 0 && !so(); --ticks) {
      meadow->tick();
      if (!loop.run_until([&] { return pool.counts().under_way == 0; })) return false;
    }
    return so();
  }

  TempFolder folder;
  nodes::test::Loop loop;
  TaskChannels tasks{loop, {.workers = 2}};
  CrowdPool pool{tasks, {.maps = folder.path()}};
  std::optional<Meadow> meadow;
};

}  // namespace starbus::nodes::crowds::test
