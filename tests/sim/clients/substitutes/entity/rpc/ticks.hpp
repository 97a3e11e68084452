/// In place of entity/rpc/ticks.hpp: the time of the simulated machine, in which no work takes any.
/// So no pass ends earlier because the simulator itself had to wait for a processor.
#pragma once

#include <cstdint>

#include "tests/sim/clients/machine.hpp"

namespace starbus::entity::rpc {

inline constexpr auto nanoseconds_now = [] { return sim::machine_ticks(); };
inline constexpr auto ticks = [] { return sim::machine_ticks(); };

/// With the layout of the original: libraries that are not compiled for the simulator know it.
struct TickMark {
  std::uint64_t ticks_then = ticks();
  std::uint64_t nanoseconds_then = nanoseconds_now();

  double nanoseconds_per_tick() const { return 1.0; }
};

}  // namespace starbus::entity::rpc
