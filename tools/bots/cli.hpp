/// The command line of starbus-bots, without the process around it. docs/operate/bots.md.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::bots {

/// Where it writes, and how often it was asked to stop.
struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  std::function<int()> stops = [] { return 0; };
};

/// The exit code: 0 all is well, 1 failed, 2 wrong command line or script, 3 a violation.
/// `arguments` without the name of the program. Blocks until the run is over.
int run_bots(const std::vector<std::string>& arguments, const Surroundings& around);

}  // namespace starbus::bots
