/// The command line of starbus-mail, without the process around it: looks after the mail stores of
/// hosts, with busd stopped (on a folder) or running (over its admin socket).
/// docs/operate/mail-tools.md is its manual.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/terminal/table.hpp"

namespace starbus::mail_tool {

/// The parts of the process that a run uses.
struct Environment {
  std::ostream& out;
  std::ostream& err;
  std::string admin;      // daemon::admin_url_of_environment(); may be empty
  bool terminal = false;  // `err` is one: progress is shown
  bustop::Look look{};    // of `out`
  std::function<bool()> interrupted{};
};

/// The exit code: 0 all is well, 1 something is wrong or the command failed, 2 wrong command line.
/// `arguments` without the name of the program.
int run_mail_tool(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace starbus::mail_tool
