/// Symmetric lists beside brute force: in random crowds that move, stand and lose members, all
/// pairs are looked at, and none that the rules of symmetric.hpp demand is missing.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "aoi/world.hpp"

namespace starbus::aoi {
namespace {

class MutualCrowd {
 public:
  MutualCrowd(std::uint32_t seed, std::uint16_t capacity, float size)
      : chance_(seed), size_(size), world_(*World::create(options(capacity))) {}

  void add() {
    EntityOptions of;
    of.position = somewhere();
    of.flags = 1 + chance_() % 3;
    const EntityId id = *world_.add(of);
    SensorOptions sensor;
    sensor.limit.policy = LimitPolicy::symmetric;
    if (chance_() % 4 == 0) sensor.filter.any = 1;
    sensor_[id] = *world_.add_sensor(id, sensor);
  }
  void add_special() {
    const EntityId a = anybody();
    const EntityId b = anybody();
    if (a == b || !world_.set_special(a, b, true)) return;
    specials_.insert({a, b});
    specials_.insert({b, a});
  }
  void move_some() {
    for (const auto& [id, sensor] : sensor_) {
      if (chance_() % 2 == 0) ASSERT_TRUE(world_.move(id, somewhere()));
    }
  }
  void remove_some() {
    for (std::size_t i = sensor_.size() / 3; i > 0; --i) {
      const EntityId gone = anybody();
      ASSERT_TRUE(world_.remove(gone));
      sensor_.erase(gone);
      std::erase_if(specials_,
                    [&](const auto& pair) { return pair.first == gone || pair.second == gone; });
    }
  }

  /// After each update; what a list may hold.
  void update() {
    (void)world_.update();
    for (const auto& [id, sensor] : sensor_) {
      const auto list = world_.sees(sensor);
      ASSERT_LE(list.size(), world_.options().symmetric.capacity);
      for (const EntityId other : list) {
        ASSERT_TRUE(sensor_.contains(other));
        ASSERT_TRUE(world_.sees(sensor_.at(other), id)) << "not mutual";
        ASSERT_TRUE(may_pair(id, other));
      }
    }
  }

  /// Until nothing happens any more; a crowd that stands still comes to rest.
  void rest() {
    int quiet = 0;
    for (int tick = 0; tick < 200 && quiet < 2 * kRefresh; ++tick) {
      update();
      if (::testing::Test::HasFatalFailure()) return;
      quiet = world_.events().empty() ? quiet + 1 : 0;
    }
    ASSERT_EQ(quiet, 2 * kRefresh);
  }

  /// At rest: every pair that is missing has a reason.
  void check_all_pairs() {
    for (const auto& [a, sensor] : sensor_) {
      for (const auto& [b, other] : sensor_) {
        if (a == b || !may_pair(a, b) || world_.sees(sensor, b)) continue;
        ASSERT_FALSE(specials_.contains({a, b})) << "a special relation";
        ASSERT_FALSE(has_room(a) && has_room(b)) << "both have a free place";
        ASSERT_FALSE(count(a) < share() && (has_room(b) || gives_way(b)))
            << "one that sees " << count(a) << " is refused by one with a place to give";
      }
    }
  }

 private:
  static constexpr int kRefresh = 4;
  static WorldOptions options(std::uint16_t capacity) {
    WorldOptions of;
    of.symmetric.capacity = capacity;
    of.symmetric.refresh = kRefresh;
    return of;
  }
  Position somewhere() {
    const auto real = [this] { return static_cast<float>(chance_() % 1'000) / 1'000 * size_; };
    const float x = real();
    return {100 + x, 100 + real(), 0};
  }
  EntityId anybody() {
    auto at = sensor_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(chance_() % sensor_.size()));
    return at->first;
  }
  std::size_t count(EntityId id) const { return world_.sees(sensor_.at(id)).size(); }
  std::size_t share() const {
    return std::max<std::size_t>(1, world_.options().symmetric.capacity / 2u);
  }
  bool has_room(EntityId id) const { return count(id) < world_.options().symmetric.capacity; }
  /// It has a member, without special relation, that sees more than its share.
  bool gives_way(EntityId id) const {
    for (const EntityId one : world_.sees(sensor_.at(id))) {
      if (!specials_.contains({id, one}) && count(one) > share()) return true;
    }
    return false;
  }
  bool may_pair(EntityId a, EntityId b) const {
    const float cell = world_.options().symmetric.cell;
    const auto of = [&](float at) { return static_cast<int>(std::floor(at / cell)); };
    const Position from = *world_.position(a);
    const Position to = *world_.position(b);
    if (std::abs(of(from.x) - of(to.x)) > 2 || std::abs(of(from.y) - of(to.y)) > 2) return false;
    return world_.sensor(sensor_.at(a))->filter.passes(world_.entity(b)->flags) &&
           world_.sensor(sensor_.at(b))->filter.passes(world_.entity(a)->flags);
  }

  std::mt19937 chance_;
  float size_;
  World world_;
  std::map<EntityId, SensorId> sensor_;
  std::set<std::pair<EntityId, EntityId>> specials_;
};

TEST(SymmetricOracle, NoPairIsMissingInACrowdAtRest) {
  std::uint32_t seed = 1;
  for (const int capacity : {2, 3, 7, 12}) {
    for (const float size : {0.0F, 8.0F, 30.0F}) {  // within the cells that are searched whole
      SCOPED_TRACE(::testing::Message() << "capacity " << capacity << ", size " << size);
      MutualCrowd crowd(seed++, static_cast<std::uint16_t>(capacity), size);
      for (int i = 0; i < 40; ++i) crowd.add();
      for (int i = 0; i < 4; ++i) crowd.add_special();
      for (int phase = 0; phase < 3; ++phase) {
        crowd.rest();
        if (HasFatalFailure()) return;
        crowd.check_all_pairs();
        if (phase == 0) crowd.move_some();
        if (phase == 1) crowd.remove_some();
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SymmetricOracle, ListsHoldOnlyWhatTheyMayWhileAllMove) {
  MutualCrowd crowd(77, 6, 150);
  for (int i = 0; i < 80; ++i) crowd.add();
  for (int tick = 0; tick < 30; ++tick) {
    if (tick % 3 == 0) crowd.move_some();
    if (tick == 20) crowd.remove_some();
    crowd.update();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace starbus::aoi
