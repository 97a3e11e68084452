#include "bench/nav/chase.hpp"

#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef STARBUS_BENCH_MESH
#include "base/histogram.hpp"
#include "bench/nav/measure.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "nav/mesh/bake.hpp"
#include "nav/random.hpp"
#include "nodes/nav/crowd_pool.hpp"
#include "nodes/space/nav/space_nav.hpp"
#include "nodes/space/sight/space_sight.hpp"
#include "nodes/space/types/space_type.hpp"
#endif

namespace starbus::bench::nav {

#ifdef STARBUS_BENCH_MESH

namespace {

namespace crowds = starbus::nodes::crowds;
namespace mesh = starbus::nav::mesh;
namespace sight = starbus::nodes::sight;
using namespace std::chrono_literals;

constexpr float kTownSide = 200;  // m
constexpr int kWarmTicks = 50;    // ticks
constexpr float kStride = 0.5F;   // m of a player in a tick

struct MonsterState : entity::Properties<MonsterState> {
  STARBUS_FIELDS(entity::StateOf<crowds::ActorNav> actor_nav{this};)
};
class Monster final : public entity::EntityOf<Monster, entity::Entity,
                                              entity::Components<sight::Mover, crowds::ActorNav>> {
 public:
  static constexpr std::string_view kTypeName = "bench_monster";
  crowds::ActorNav& nav() { return *component<crowds::ActorNav>(); }
  sight::Mover& mover() { return *component<sight::Mover>(); }
  MonsterState state;
};

// The loop: completions of workers wait until its thread runs them.
class Loop final : public nodes::Executor {
 public:
  void run_later(nodes::WorkName, std::function<void()> closure) override {
    const std::lock_guard lock(mutex_);
    closures_.push_back(std::move(closure));
    posted_.notify_one();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !closures_.empty(); });
    const std::function<void()> closure = std::move(closures_.front());
    closures_.pop_front();
    lock.unlock();
    closure();
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> closures_;
};

// A folder with the baked map of a town.
class Town {
 public:
  Town() {
    std::string name = (std::filesystem::temp_directory_path() / "bench-town-XXXXXX").string();
    must(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    mesh::Terrain ground;
    ground.points = {{0, 0, 0}, {kTownSide, 0, 0}, {kTownSide, kTownSide, 0}, {0, kTownSide, 0}};
    ground.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
    mesh::Paint paint;
    for (int house = 0; house < 64; ++house) {
      const auto x = static_cast<float>(house % 8) * 25 + 7;
      const auto y = static_cast<float>(house / 8) * 25 + 7;
      paint.volumes.push_back({{{x, y, 0}, {x + 12, y, 0}, {x + 12, y + 12, 0}, {x, y + 12, 0}},
                               -1,
                               1,
                               starbus::nav::kWall});
    }
    const auto bake = mesh::Bake::create(std::move(ground), {.dynamic = false}, paint);
    must(bake.has_value());
    const auto baked = bake->run();
    must(baked.has_value());
    std::ofstream(folder_ / "town.mesh", std::ios::binary) << mesh::encode(*baked);
  }
  Town(const Town&) = delete;
  Town& operator=(const Town&) = delete;
  ~Town() { std::filesystem::remove_all(folder_); }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

// One space with its crowd, without a bus.
class Chase {
 public:
  Chase(std::uint32_t monsters, std::uint32_t players) {
    must(entity::declare_entity<Monster>(types_).has_value());
    nodes::space::NavType type;
    type.crowd.map = "town.mesh";
    type.crowd.kinds = {{.name = "monster", .closed = {}}};
    type.crowd.walkers = monsters + players;
    nav_.emplace(pool_, type, "town-1");
    bool started = false;
    nav_->start([&](const bus::Result<>& result) {
      must(result.has_value());
      started = true;
    });
    while (!started) loop_.run_one();
    for (std::uint32_t i = 0; i < players; ++i) players_.push_back(enter(true));
    for (std::uint32_t i = 0; i < monsters; ++i) {
      Monster* const monster = enter(false);
      must(monster->nav().follow(*players_[i % players], {.distance = 1}).has_value());
    }
  }

  /// ns of processor time of this thread.
  double tick() {
    walk_players();
    const double began = cpu_ns();
    time_ += 100ms;
    nav_->tick({.number = ++ticks_, .time = time_, .passed = 100ms});
    const double ticked = cpu_ns() - began;
    double answered = 0;
    while (pool_.counts().under_way > 0) {
      const double from = cpu_ns();
      loop_.run_one();
      answered += cpu_ns() - from;
    }
    must(world_.update().has_value());
    return ticked + answered;
  }
  std::uint64_t moves() const { return nav_->counts().moves; }
  double batch_ms() const { return static_cast<double>(pool_.took().percentile(50)) / 1e3; }

 private:
  static nodes::space::SpaceType square() {
    nodes::space::SpaceType type;
    type.max = {kTownSide, kTownSide, 0};
    type.sight = type.cell = 30;
    return type;
  }
  float roll() { return static_cast<float>(random_.fraction()); }
  // On a street: the houses leave every 25 m free.
  nodes::movement::Position on_street() {
    const float along = 2 + roll() * (kTownSide - 4);
    const float across = std::floor(roll() * 8) * 25 + 3;
    return roll() < 0.5F ? nodes::movement::Position{along, across, 0}
                         : nodes::movement::Position{across, along, 0};
  }
  Monster* enter(bool player) {
    Monster& made = **entities_.create<Monster>();
    must(made.nav().set({.passive = player}).has_value());
    const nodes::movement::Position at = on_street();
    const auto id = world_.add({.position = at});
    must(id && sight_.enter(made, *id, at, nullptr));
    nav_->enters(made);
    return &made;
  }
  // Along their street, and back at its end.
  void walk_players() {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      nodes::movement::Locomotion to = players_[i]->mover().state();
      const bool along_x = std::fmod(to.position.y, 25.0F) == 3.0F;
      float& at = along_x ? to.position.x : to.position.y;
      if (forward_.size() <= i) forward_.push_back(true);
      if (at > kTownSide - 3) forward_[i] = false;
      if (at < 3) forward_[i] = true;
      at += forward_[i] ? kStride : -kStride;
      (along_x ? to.velocity.x : to.velocity.y) = (forward_[i] ? 10 : -10) * kStride;
      must(players_[i]->mover().place(to).has_value());
    }
  }

  Town town_;
  Loop loop_;
  nodes::TaskChannels tasks_{loop_, {.workers = 2}};
  crowds::CrowdPool pool_{tasks_, {.maps = town_.folder()}};
  entity::EntityFactory types_;
  std::uint64_t drawn_ = 0;
  entity::EntityManager entities_{
      types_, entity::PersistentIdSource("bench", 1),
      [this]() -> entity::IdentityResult<entity::OnlineId> { return entity::OnlineId{++drawn_}; }};
  aoi::World world_ = *aoi::World::create(nodes::space::world_options(square()));
  nodes::movement::MoveRules rules_;
  sight::SpaceSight sight_{world_, rules_, {}};
  std::optional<crowds::SpaceNav> nav_;
  std::vector<Monster*> players_;
  std::vector<bool> forward_;
  starbus::nav::Random random_{7};
  std::chrono::nanoseconds time_{};
  std::uint64_t ticks_ = 0;
};

}  // namespace

bool has_chase() {
  return true;
}

ChaseCosts chase(std::uint32_t monsters, std::uint32_t players, int ticks) {
  Chase all(monsters, players);
  for (int i = 0; i < kWarmTicks; ++i) all.tick();
  const std::uint64_t before = all.moves();
  Histogram spent;
  for (int i = 0; i < ticks; ++i) spent.record(std::llround(all.tick()));
  return {static_cast<double>(spent.percentile(50)) / 1e3,
          static_cast<double>(spent.percentile(99)) / 1e3,
          static_cast<double>(all.moves() - before) / ticks, all.batch_ms()};
}

#else

bool has_chase() {
  return false;
}

ChaseCosts chase(std::uint32_t, std::uint32_t, int) {
  throw std::runtime_error("built without navmeshes: install librecast-dev");
}

#endif

}  // namespace starbus::bench::nav
