#pragma once

#include <chrono>

#include "nodes/login/core/address.hpp"

namespace starbus::nodes::login {

/// Milliseconds of a clock that never goes back.
inline Time steady_now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace starbus::nodes::login
