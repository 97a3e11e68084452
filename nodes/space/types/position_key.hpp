#pragma once

#include <array>
#include <string_view>

#include "daemon/config/config.hpp"

namespace starbus::nodes::space {

/// A key [x, y] or [x, y, z] of a data file, in m. A problem is noted in the table, and then, or if
/// it is missing, this is the origin. Any thread.
std::array<float, 3> read_position(daemon::ConfigReader& table, std::string_view key);

}  // namespace starbus::nodes::space
