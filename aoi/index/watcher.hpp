/// A sensor as a layer of a grid serves it: its row, and what an evaluation needs besides. Plain
/// values; the layer owns them.
#pragma once

#include "aoi/index/cells.hpp"
#include "aoi/index/row.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// The part of a sensor that most evaluations need: half a cache line.
struct alignas(32) Watcher {
  Row row;
  FilterNumber filter = 0;
  bool plain = true;  ///< no margin, no height, no filter, not tracked
  bool stale = true;  ///< must scan all nine cells
  SensorIndex sensor = kNone;
  std::uint32_t place = kNone;  ///< of the owner, if it is observable
  float enter_limit = 0;
};
static_assert(sizeof(Watcher) == 32);

/// The rest, parallel to the watchers.
struct Site {
  CellIndex cell = kNone;  ///< its home
  std::uint32_t size = 0;  ///< of the row, in bytes
  float stay_limit = 0;
};

}  // namespace starbus::aoi
