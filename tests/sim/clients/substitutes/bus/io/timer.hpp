/// In place of bus/io/timer.hpp: timers of the simulated machine.
#pragma once

#include "tests/sim/clients/machine.hpp"

namespace starbus::bus::io {

using Timer = sim::MachineTimer;

}  // namespace starbus::bus::io
