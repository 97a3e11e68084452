#pragma once

#include <string>

#include "bus/client/bus.hpp"

namespace starbus::bus {

/// "HOST.NODE": how other processes name this one. Its host is empty before the first session with
/// busd. The loop's thread.
inline std::string process_name(const Bus& bus) {
  return bus.host() + "." + bus.node();
}

}  // namespace starbus::bus
