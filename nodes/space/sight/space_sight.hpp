/// Sight in one space: who is in it as others see them, and the views of its players. A GameSpace
/// has one, tells it who comes and goes, and lets it run once per tick.
///
///   sight.enter(entity, id, at, player ? &how : nullptr);
///   sight.update();                       // brings aoi() up to date, and so what is in sight
///   sight.tell(tick.number);              // then each client what has changed for it
///
/// Belongs to the loop's thread. The world and the rules outlive it, and entities leave before they
/// end. Failures are values.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aoi/world.hpp"
#include "entity/objects/entity.hpp"
#include "nodes/space/movement/move_rules.hpp"
#include "nodes/space/sight/tick_store.hpp"
#include "nodes/space/sight/watcher.hpp"

namespace starbus::nodes::sight {

/// What clients learn of the space.
struct SpaceFacts {
  std::string name = {};      // at most kSightSpace
  MoveGrid grid = {};         // its middle is best
  std::uint32_t tick_ms = 0;  // between two ticks
};

class SpaceSight {
 public:
  SpaceSight(aoi::World& world, const movement::MoveRules& rules, SpaceFacts facts)
      : world_(world), rules_(rules), facts_(std::move(facts)), store_(facts_.grid) {}
  SpaceSight(const SpaceSight&) = delete;
  SpaceSight& operator=(const SpaceSight&) = delete;

  /// It is in the space, and in the world under this id. `how`: of a player, whose Watcher, if it
  /// has one, watches from now on; null: of others. Errors: those of MoveCheck::create and of
  /// SightView::create; those of aoi::World::add_sensor. Nothing of it stays then.
  SightResult<> enter(entity::Entity& entity, aoi::EntityId id, const movement::Position& at,
                      const WatchOptions* how);
  /// It leaves; before it is taken out of the world. Ignored if it is not there.
  void leave(entity::Entity& entity, aoi::EntityId id);

  /// Brings the world up to date. Errors: those of aoi::World::update; all is as it was then.
  Result<aoi::UpdateReport> update();
  /// Tells all clients. Entities may end and leave within this.
  void tell(std::uint64_t tick);

  const SightCounters& counters() const { return store_.counters(); }
  const SpaceFacts& facts() const { return facts_; }

  // --- for Mover and Watcher ---

  /// What this tick has encoded.
  TickStore& store() { return store_; }
  const TickStore& store() const { return store_; }
  /// It is there in the world, too; `to` was checked.
  void moved(aoi::EntityId id, const movement::Position& to);
  /// Where the world has it; the origin if it is not there.
  movement::Position place_of(aoi::EntityId id) const;
  /// All that it sees and has no room for so far.
  void show_again(Watcher& watcher);

 private:
  struct Resident {
    aoi::EntityId id;
    std::shared_ptr<Subject> subject;
    aoi::SensorId sensor;
  };
  SightResult<> watch(Watcher& watcher, Resident& resident, const WatchOptions& how);
  void saw(const aoi::Event& event);
  std::shared_ptr<Subject> subject_of(aoi::EntityId id) const;

  aoi::World& world_;
  const movement::MoveRules& rules_;
  const SpaceFacts facts_;
  TickStore store_;
  boost::unordered_flat_map<std::uint32_t, Resident> residents_;  // by aoi::EntityId
  boost::unordered_flat_map<std::uint32_t, Watcher*> watchers_;   // by aoi::SensorId
  std::vector<std::uint32_t> turn_;                               // of the tick that runs
};

}  // namespace starbus::nodes::sight
