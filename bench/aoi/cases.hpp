/// What bench_aoi measures: each function is one run from a fresh world. Times are those of this
/// thread's processor, which others on the machine lengthen less than those of a wall clock.
#pragma once

#include <optional>

#include "aoi/world.hpp"
#include "bench/aoi/workload.hpp"

namespace starbus::bench::aoi {

struct Setup {
  starbus::aoi::Backend backend = starbus::aoi::Backend::grid;
  starbus::aoi::Simd simd = starbus::aoi::Simd::best;
  starbus::aoi::SensorOptions sight = {};  ///< of everybody; the radius is the workload's
  std::optional<starbus::aoi::SensorOptions> second = {};  ///< of everybody, too
  double teleporting = 0;  ///< share of entities that are put elsewhere, per tick
  double churning = 0;     ///< share that leaves and comes anew, per tick
};

struct Costs {
  double per_move = 0;    ///< ns, of moves and updates with events told, by who moves by itself
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
