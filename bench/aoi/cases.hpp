/// The cases that bench_aoi measures: each function is one run from a fresh world. Times are
/// processor times of this thread, which other work on the machine lengthens less than times of a
/// wall clock.
#pragma once

#include <optional>

#include "aoi/wire/wire.hpp"
#include "bench/aoi/workload.hpp"

namespace starbus::bench::aoi {

struct Setup {
  starbus::aoi::Backend backend = starbus::aoi::Backend::grid;
  starbus::aoi::Simd simd = starbus::aoi::Simd::best;
  starbus::aoi::SensorOptions sight = {};  ///< of all observers; the radius is the workload's
  std::optional<starbus::aoi::SensorOptions> second = {};  ///< of all observers, too
  double teleporting = 0;  ///< share of entities that teleport, per tick
  bool batches = false;    ///< the batches for gates are made, too
  double churning = 0;     ///< share of entities that are removed and added again, per tick
};

struct Costs {
  double per_move = 0;    ///< ns, of moves and updates with all events, by regular mover
  double per_update = 0;  ///< ms
  double insert = 0;      ///< ms, for all, with the first update
  double insert_one = 0;  ///< ns, the same by entity
  double memory = 0;      ///< bytes of heap per entity, after the last tick
  double first = 0;       ///< the same right after the first update, in which all enter
  double most = 0;        ///< the same after the update after which it was most
  double events = 0;      ///< per move
  double neighbours = 0;  ///< per sensor, at the end
};

Costs run(const Workload& workload, const Setup& setup);
/// Only per_move.
Costs run_floor(const Workload& workload);

}  // namespace starbus::bench::aoi
