/// The command line of bustop, without the process around it: tests run it as main() does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::bustop {

/// The parts of the process that a run uses.
struct Environment {
  std::ostream& out;
  std::ostream& err;
  std::string admin;      // daemon::admin_url_of_environment(); may be empty
  bool colour = false;    // `out` is a terminal, and NO_COLOR is not set
  std::size_t width = 0;  // of the terminal; 0: none
  std::function<void(std::chrono::milliseconds)> sleep;
  /// Asks the operator; see ManagerContext.
  std::function<std::string(const std::string& question)> read_line = {};
};

/// The exit code; see commands.hpp. `arguments` without the name of the program.
int run_bustop(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace starbus::bustop
