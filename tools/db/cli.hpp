/// The command line of starbus-db-tool, without the process around it. docs/guide/db.md, "The
/// tool".
#pragma once

#include <string>
#include <vector>

#include "tools/db/commands.hpp"

namespace starbus::db_tool {

/// The exit code: 0 all is well, 1 something is wrong or the command failed, 2 wrong command line.
/// `arguments` without the name of the program.
int run_db_tool(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace starbus::db_tool
