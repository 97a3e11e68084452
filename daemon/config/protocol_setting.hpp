#pragma once

#include <cstdint>

#include "daemon/config/config.hpp"

namespace starbus::daemon {

/// The key `protocol` of a daemon's table: the highest protocol version that it speaks, "1.2". It
/// is this release's, or the one before it: then the daemon sends nothing new, whatever the peers
/// could understand, until every host is upgraded. Returns the minor number; notes a problem for
/// anything else.
std::uint8_t read_protocol(ConfigReader& table);

}  // namespace starbus::daemon
