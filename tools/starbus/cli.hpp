/// The command line of starbus, without the process around it: `starbus new NAME` writes a project,
/// `starbus client-code` typed code for clients (docs/reference/client-code.md).
/// Exit codes: 0, 1 (refused; the reason is on `err`), 64 (wrong command line).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::starter {

/// `arguments` without the name of the program.
int run_starbus(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace starbus::starter
