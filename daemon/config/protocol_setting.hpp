#pragma once

#include <cstdint>

#include "daemon/config/config.hpp"

namespace starbus::daemon {

/// The key `protocol` of a daemon's table: the highest protocol version that it speaks, "1.1". This
/// release's, or the one before it: then nothing new is said, whatever the peers could understand,
/// until every host is upgraded. The minor number; a problem is noted for anything else.
std::uint8_t read_protocol(ConfigReader& table);

}  // namespace starbus::daemon
