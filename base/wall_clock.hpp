/// The clock of the machine that may be set back: for what other processes, disks and people read.
/// Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace starbus {

/// Milliseconds since 1970.
inline std::uint64_t wall_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace starbus
