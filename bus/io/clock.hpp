/// The clock of shells: core code has none.
#pragma once

#include <time.h>

#include "bus/core/lanes.hpp"

namespace starbus::bus::io {

/// CLOCK_BOOTTIME: it goes on while the machine sleeps, so that leases end on time.
inline Time boot_now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace starbus::bus::io
