/// In place of base/wall_clock.hpp: the time of the simulated machine.
#pragma once

#include "tests/sim/clients/machine.hpp"

namespace starbus {

inline constexpr auto wall_ms = [] {
  return static_cast<std::uint64_t>(sim::machine_now() / std::chrono::milliseconds(1));
};

}  // namespace starbus
