/// The command line of starbus-nav, without the process around it. docs/guide/navigation.md, "The
/// tool".
#pragma once

#include <string>
#include <vector>

#include "tools/nav/commands.hpp"

namespace starbus::nav_tool {

/// The exit code, as commands.hpp says. `arguments` without the name of the program.
int run_nav_tool(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace starbus::nav_tool
