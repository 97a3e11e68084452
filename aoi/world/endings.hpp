/// What plain sensors are to be told of those that are gone since the last update: a pair for each
/// who saw a target that was removed, and the whole set of each sensor that was. Kept as numbers
/// until they are events: a crowd that loses some loses thousands of pairs. Owns its memory; one
/// thread; nothing fails.
#pragma once

#include <span>
#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/index/pairs.hpp"

namespace starbus::aoi {

class Endings {
 public:
  /// Of one sensor; it is gone itself if its observer is not 0.
  struct Row {
    EntityId observer;
    std::span<const EntityIndex> saw;  ///< when it went; in order
    std::span<const Pair> lost;        ///< before; in no order
    bool empty() const { return saw.empty() && lost.empty(); }
  };

  void lose(SensorIndex sensor, EntityIndex target) { lost_.push_back({sensor, target}); }
  /// `saw` in order. Nothing can be lost by this sensor any more.
  void end(SensorIndex sensor, EntityId observer, std::span<const EntityIndex> saw);
  std::size_t size() const { return lost_.size() + saw_.size(); }

  /// Puts all in order, and sets the bit of each sensor that has to be told something.
  void sort(std::vector<std::uint64_t>& telling);
  /// After sort(), sensors in their order: what one is told.
  Row take(SensorIndex sensor);
  /// All was taken.
  void start();
  std::uint64_t memory() const;

 private:
  struct Gone {
    SensorIndex sensor = kNone;
    EntityId observer;
    std::uint32_t begin = 0;  ///< in saw_
    std::uint32_t end = 0;
  };
  std::vector<Pair> lost_;
  std::vector<Pair> scratch_;
  std::vector<Gone> gone_;
  Buffer<EntityIndex> saw_;
  std::size_t next_lost_ = 0;
  std::size_t next_gone_ = 0;
};

}  // namespace starbus::aoi
