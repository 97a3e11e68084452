/// In place of bus/io/clock.hpp: the time of the simulated machine.
#pragma once

#include "tests/sim/clients/machine.hpp"

namespace starbus::bus::io {

inline constexpr auto boot_now = [] { return sim::machine_now(); };

}  // namespace starbus::bus::io
