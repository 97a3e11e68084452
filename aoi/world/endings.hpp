/// Leaves that plain sensors have to report because of removals since the last update: a pair for
/// each sensor that saw a removed target, and the whole set of each removed sensor. Kept as indices
/// until they become events, because a crowd that loses some members loses thousands of pairs.
/// Belongs to the world's thread. Owns its memory; fails only by running out of it.
#pragma once

#include <span>
#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/index/pairs.hpp"

namespace starbus::aoi {

class Endings {
 public:
  /// The endings of one sensor.
  struct Row {
    EntityId observer;
    std::span<const EntityIndex> saw;  ///< what it saw when it was removed; sorted
    std::span<const Pair> lost;        ///< targets removed before; in no order
    bool empty() const { return saw.empty() && lost.empty(); }
  };

  void lose(SensorIndex sensor, EntityIndex target) { lost_.push_back({sensor, target}); }
  /// The sensor is removed. `saw` is sorted. It can lose nothing after this.
  void end(SensorIndex sensor, EntityId observer, std::span<const EntityIndex> saw);
  std::size_t size() const { return lost_.size() + saw_.size(); }

  /// Sorts all by sensor, and sets the bit of each sensor that has something to report.
  void sort(std::vector<std::uint64_t>& telling);
  /// After sort(), with sensors in ascending order: what one has to report.
  Row take(SensorIndex sensor);
  /// All rows were taken: empties it.
  void start();
  std::uint64_t memory() const;

 private:
  struct Gone {
    SensorIndex sensor = kNone;
    EntityId observer;
    std::size_t begin = 0;  ///< in saw_
    std::size_t end = 0;
  };
  std::vector<Pair> lost_;
  std::vector<Pair> scratch_;
  std::vector<Gone> gone_;
  Buffer<EntityIndex> saw_;
  std::size_t next_lost_ = 0;
  std::size_t next_gone_ = 0;
};

}  // namespace starbus::aoi
