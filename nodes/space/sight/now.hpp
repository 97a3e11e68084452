/// The clock of movement and sight on a node: one for reports, ticks and what clients are told.
#pragma once

#include <chrono>
#include <cstdint>

#include "bus/io/clock.hpp"

namespace starbus::nodes::sight {

/// Milliseconds that go on, also while the machine sleeps. Any thread.
inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(bus::io::boot_now()).count();
}

}  // namespace starbus::nodes::sight
