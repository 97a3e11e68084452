/// Random runs of worlds: rapidcheck makes and shrinks the operations, and a player does them on
/// several worlds and compares their events after every update.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "aoi/world.hpp"
#include "tests/aoi/model.hpp"

namespace starbus::aoi::test {

/// Throws, which rapidcheck takes for a failure and shrinks.
void demand(bool condition, const char* what);

enum class Do : std::uint8_t {
  add,
  remove,
  step,
  teleport,
  flags,
  weight,
  add_sensor,
  remove_sensor,
  radius,
  options,
  force,
  unforce,
  beacon,
  special,
  update,
  last = update,
};

/// Numbers are taken modulo the number of choices, so that any part of a script is a script.
struct Step {
  Do what = Do::update;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};
std::ostream& operator<<(std::ostream& out, const Step& step);

/// The operations that a script may contain.
struct Taste {
  bool managed = true;     ///< limits, forced targets, beacons, wire indices
  bool symmetric = false;  ///< symmetric lists
  float size = 100;        ///< m; most positions are within
  bool far = false;        ///< many teleports
};

rc::Gen<std::vector<Step>> scripts(const Taste& taste);

/// The pairs that are in a set, by whole ids: indices are used again.
using Seen = std::map<SensorId, std::set<EntityId>>;

/// Does the steps of a script on one world, and keeps the sets that its events have reported.
class Player {
 public:
  Player(const WorldOptions& options, const Taste& taste);

  void play(const Step& step);
  /// A model gets all operations from here on; ask it after each update.
  void mirror_to(Model* model) { model_ = model; }
  World& world() { return world_; }
  const Seen& seen() const { return seen_; }
  const std::vector<Event>& last_events() const { return last_; }
  const std::vector<EntityId>& entities() const { return entities_; }
  const std::vector<SensorId>& sensors() const { return sensors_; }
  std::uint64_t updates() const { return updates_; }

  /// Checks that queries, events and the sets of both directions agree.
  void check();
  /// Checks that symmetric lists are mutual and not too long, and that all members pass the
  /// filters.
  void check_lists();

 private:
  Position place(const Step& step) const;
  SensorOptions options(const Step& step) const;
  EntityId entity(std::uint32_t number) const;
  SensorId sensor(std::uint32_t number) const;
  void move(EntityId entity, const Position& to);
  void force(SensorId sensor, EntityId target, bool on);
  void update();

  World world_;
  Model* model_ = nullptr;
  Taste taste_;
  std::vector<EntityId> entities_;
  std::vector<SensorId> sensors_;
  std::map<SensorId, EntityId> owner_;
  std::map<EntityId, Position> at_;
  Seen seen_;
  std::set<EntityId> beacons_;
  std::set<std::pair<SensorId, EntityId>> forced_;
  std::vector<Event> last_;
  std::uint64_t updates_ = 0;
};

}  // namespace starbus::aoi::test
