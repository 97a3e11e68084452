/// The long run: all backends beside brute force, step after step, with everything that may happen
/// in a world: small moves, teleports, additions and removals, radii that change. After each step
/// the events are the same one by one, and the sets of both directions are those that events have
/// reported. STARBUS_LONG=1 (scripts/test --long): 2,000 entities and 10,000 steps; a small part
/// otherwise.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/aoi/script.hpp"
#include "tests/places.hpp"

namespace starbus::aoi::test {
namespace {

struct Extent {
  std::uint32_t entities;
  std::uint32_t steps;
  float size;             ///< m: ten or so in range of each
  std::uint32_t compare;  ///< steps from one comparison of all sets to the next
};

Extent extent() {
  if (long_runs()) return {2'000, 10'000, 750, 10};
  return {200, 300, 240, 3};
}

/// The operations by number, the same for all worlds.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  // splitmix64 (Steele, Lea, Flood 2014).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ z >> 31) % bound);
  }
  float real(float below_this) {
    return static_cast<float>(below(1u << 24)) / static_cast<float>(1u << 24) * below_this;
  }

 private:
  std::uint64_t state_;
};

Position somewhere(Chance& chance, float size) {
  const float x = chance.real(size * 1.1F) - size * 0.05F;  // also beyond the map
  return {x, chance.real(size * 1.1F) - size * 0.05F, 0};
}

SensorOptions some_sensor(Chance& chance) {
  SensorOptions of;
  of.radius = 20 + chance.real(20);
  if (chance.below(2) == 0) of.leave_margin = 3;
  if (chance.below(3) == 0) of.filter = {0, 0, 4};
  if (chance.below(4) == 0) of.limit = {LimitPolicy::nearest, 5, 0.1F};
  return of;
}

/// One world of those that are compared.
struct Contestant {
  explicit Contestant(const WorldOptions& options) : world(*World::create(options)) {}

  void update() {
    reported.clear();
    const auto report = world.update([&](const Event& event) { reported.push_back(event); });
    ASSERT_TRUE(report);
    for (const Event& event : reported) {
      auto& set = seen[event.sensor];
      const bool fits = event.kind == Kind::enter ? set.insert(event.target).second
                                                  : set.erase(event.target) == 1;
      ASSERT_TRUE(fits) << "entered twice, or left without having entered";
      ++(event.kind == Kind::enter ? enters : leaves);
    }
  }

  /// Both directions are as reported; no entity sees itself, or more targets than its limit.
  void check() const {
    std::size_t pairs = 0;
    std::map<EntityId, std::size_t> observers;
    for (const EntityId one : world.entities()) {
      for (const SensorId sensor : world.sensors_of(one)) {
        const auto now = world.sees(sensor);
        const auto reported_of = seen.find(sensor);
        ASSERT_EQ(std::set<EntityId>(now.begin(), now.end()),
                  reported_of == seen.end() ? std::set<EntityId>() : reported_of->second);
        const Limit limit = world.sensor(sensor)->limit;
        ASSERT_TRUE(limit.policy == LimitPolicy::none || now.size() <= limit.count);
        for (const EntityId target : now) {
          ASSERT_NE(target, one);
          ++observers[target];
        }
        pairs += now.size();
      }
    }
    ASSERT_EQ(enters, leaves + pairs);
    for (const EntityId one : world.entities()) {
      const auto by = world.observers(one);
      ASSERT_EQ(by.size(), observers[one]);
      for (const SensorId sensor : by) ASSERT_TRUE(world.sees(sensor, one));
    }
  }

  World world;
  Seen seen;
  std::vector<Event> reported;
  std::size_t enters = 0;
  std::size_t leaves = 0;
};

/// Of all events in their order: FNV-1a.
class Digest {
 public:
  void add(const Event& event) {
    for (const std::uint32_t word :
         {event.sensor.value, event.observer.value, event.target.value,
          static_cast<std::uint32_t>(event.kind) << 8 | static_cast<std::uint32_t>(event.reason)}) {
      for (int shift = 0; shift < 32; shift += 8) {
        value_ = (value_ ^ (word >> shift & 0xff)) * 0x100000001b3;
      }
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

class Conformance : public ::testing::Test {
 protected:
  Conformance() {
    WorldOptions of;
    of.bounds = {{0, 0, 0}, {extent_.size, extent_.size, 0}};
    of.reach = 30;
    of.quarantine = 2;
    of.backend = Backend::brute_force;  // the first world: the others are compared with it
    all_.emplace_back(of);
    for (const Backend backend : {Backend::grid, Backend::hashed_grid, Backend::cross_list}) {
      of.backend = backend;
      all_.emplace_back(of);
    }
    of.backend = Backend::grid;
    of.simd = Simd::none;
    all_.emplace_back(of);
  }

  void add() {
    EntityOptions entity;
    entity.position = somewhere(chance_, extent_.size);
    entity.flags = chance_.below(8);
    const SensorOptions sensor = some_sensor(chance_);
    EntityId id;
    for (Contestant& one : all_) {
      id = *one.world.add(entity);
      ASSERT_TRUE(one.world.add_sensor(id, sensor));
    }
    ids_.push_back(id);
  }

  EntityId anybody() { return ids_[chance_.below(static_cast<std::uint32_t>(ids_.size()))]; }

  void move(EntityId id, const Position& to) {
    for (Contestant& one : all_) ASSERT_TRUE(one.world.move(id, to));
  }

  void step() {
    for (const EntityId id : ids_) {
      if (chance_.below(3) != 0) continue;
      Position at = *all_.front().world.position(id);
      at.x += chance_.real(4) - 2;
      at.y += chance_.real(4) - 2;
      move(id, at);
    }
    for (std::uint32_t i = 0; i < extent_.entities / 100; ++i) {
      const Position to = somewhere(chance_, extent_.size);
      move(anybody(), to);
      const std::size_t gone = chance_.below(static_cast<std::uint32_t>(ids_.size()));
      for (Contestant& one : all_) ASSERT_TRUE(one.world.remove(ids_[gone]));
      ids_[gone] = ids_.back();
      ids_.pop_back();
      add();
    }
    const EntityId who = anybody();
    const float radius = chance_.below(50) == 0 ? 150 : chance_.real(60);
    const float margin = chance_.real(4);
    const auto flags = std::uint64_t{chance_.below(8)};
    const EntityId other = anybody();
    for (Contestant& one : all_) {
      ASSERT_TRUE(one.world.set_radius(one.world.sensors_of(who).front(), radius, margin));
      ASSERT_TRUE(one.world.set_flags(other, flags));
    }
  }

  const Extent extent_ = extent();
  Chance chance_{20240607};
  std::vector<Contestant> all_;
  std::vector<EntityId> ids_;
};

TEST_F(Conformance, BackendsReportWhatBruteForceReports) {
  Digest digest;
  for (std::uint32_t i = 0; i < extent_.entities; ++i) add();
  for (std::uint32_t tick = 0; tick < extent_.steps; ++tick) {
    SCOPED_TRACE("step " + std::to_string(tick));
    if (tick != 0) step();
    for (Contestant& one : all_) {
      one.update();
      ASSERT_EQ(one.reported, all_.front().reported)
          << static_cast<int>(one.world.options().backend);
      if (tick % extent_.compare == 0) one.check();
    }
    if (HasFatalFailure()) return;
    for (const Event& event : all_.front().reported) digest.add(event);
  }
  // The same inputs give the same events in the same order on every machine.
  if (!long_runs()) {
    EXPECT_EQ(digest.value(), 4260228188678373974u);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
