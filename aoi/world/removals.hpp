/// Removes entities and sensors. Removed entities are collected and erased together, because each
/// touches many lines of memory and together they wait for these only once; settle() does it, and
/// comes before anything that could show that they are still there. Belongs to the world's thread.
/// Owns the list of removed entities; fails only by running out of memory.
#pragma once

#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world/endings.hpp"
#include "aoi/world/interest.hpp"
#include "aoi/world/numberings.hpp"
#include "aoi/world/pins.hpp"
#include "aoi/world/sensor_handlers.hpp"
#include "aoi/world/view_changes.hpp"

namespace starbus::aoi {

class Removals {
 public:
  /// All outlive it.
  struct Parts {
    Tables& tables;
    Index& index;
    SymmetricLists& lists;
    Pins& pins;
    Interest& interest;
    ViewChanges& views;
    Endings& endings;
    Numberings& numberings;
    SensorHandlers& handlers;
  };
  explicit Removals(const Parts& parts) : parts_(parts) {}

  /// Collects an entity that is retired in Tables::entity_ids; settles if enough are collected.
  void add(EntityIndex entity);
  bool empty() const { return removed_.empty(); }
  /// Erases all that are collected.
  void settle() {
    if (!removed_.empty()) erase_removed();
  }
  /// Removes a sensor now, whose id is retired.
  void remove_sensor(SensorId id);

 private:
  static constexpr std::size_t kTogether = 64;  ///< what they need fits into a cache

  void erase_removed();
  void fetch_sensors(EntityIndex entity) const;
  void remove_sensors_of(EntityIndex entity);
  void erase_targets();
  void sort_by_removal(std::vector<Pair>& pairs);
  void end_pair(SensorIndex sensor, EntityIndex target);
  void end_pinned(EntityIndex entity);
  void erase_entity(EntityIndex entity);

  const Parts parts_;
  std::vector<EntityIndex> removed_;
  Buffer<Pair> had_;                  ///< scratch of erase_targets(), as is order_
  std::vector<std::uint32_t> order_;  ///< by entity: its place in removed_
  std::vector<std::uint64_t> marks_;  ///< scratch of remove_sensor()
};

}  // namespace starbus::aoi
