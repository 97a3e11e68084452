/// The clock of deadlines and of LoopTimer: that of the client library, which goes on while the
/// machine sleeps. For .cpp files: the simulator compiles them with a clock of its own.
#pragma once

#include <chrono>

#include "bus/io/clock.hpp"

namespace starbus::entity::rpc {

/// The present. A reading of that clock in the type of another: not to be compared with readings of
/// std::chrono::steady_clock.
inline std::chrono::steady_clock::time_point loop_now() {
  return std::chrono::steady_clock::time_point(bus::io::boot_now());
}

}  // namespace starbus::entity::rpc
