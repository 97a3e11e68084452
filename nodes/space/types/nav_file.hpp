/// Reads the table [space.nav] of a type of spaces; docs/guide/crowds.md has its keys. Any thread.
#pragma once

#include <optional>

#include "daemon/config/config.hpp"
#include "nodes/space/types/nav_type.hpp"

namespace starbus::nodes::space {

/// `space`: a [[space]]. nullopt: it has no such table. Problems are noted in the reader.
std::optional<NavType> read_nav(daemon::ConfigReader& space, std::uint32_t ticks_per_second);

}  // namespace starbus::nodes::space
