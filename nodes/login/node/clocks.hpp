#pragma once

#include <chrono>
#include <cstdint>

#include "nodes/login/core/address.hpp"

namespace starbus::nodes::login {

/// Milliseconds of a clock that never goes back.
inline Time steady_now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}
/// Milliseconds since 1970.
inline std::uint64_t wall_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace starbus::nodes::login
