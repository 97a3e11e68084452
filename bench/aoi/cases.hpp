/// What bench_aoi measures: each function is one run from a fresh world.
#pragma once

#include "aoi/world.hpp"
#include "bench/aoi/workload.hpp"

namespace starbus::bench {

struct Setup {
  aoi::Backend backend = aoi::Backend::grid;
  aoi::Simd simd = aoi::Simd::best;
  aoi::SensorOptions sight = {};   ///< of everybody; the radius is the workload's
  aoi::SensorOptions second = {};  ///< a second sensor, if its radius is not 0
  double teleporting = 0;          ///< share of entities that are put elsewhere, per tick
  double churning = 0;             ///< share that leaves and comes anew, per tick
};

struct Figures {
  double per_move = 0;    ///< ns, of moves and updates with events told
  double per_update = 0;  ///< ms
  double insert = 0;      ///< ms, for all, with the first update
  double memory = 0;      ///< bytes per entity, after the last tick
  double events = 0;      ///< per move
  double neighbours = 0;  ///< per sensor, at the end
};

Figures run(const Workload& workload, const Setup& setup);
/// ns per move.
double run_floor(const Workload& workload);

}  // namespace starbus::bench
