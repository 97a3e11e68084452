/// In place of bus/io/reconnect.hpp: links of the simulated network.
#pragma once

#include "tests/sim/clients/machine.hpp"

namespace starbus::bus::io {

using Reconnect = sim::MachineReconnect;

}  // namespace starbus::bus::io
