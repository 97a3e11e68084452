/// The command line of starbus-keygen, without the process around it: makes, shows and converts
/// the CURVE keys that daemons know each other by, and the Ed25519 keys of tickets. Exit codes: 0,
/// 1 (refused; the reason is on `err`), 64 (wrong command line). Secrets are written to files only,
/// never printed.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::keygen {

/// `arguments` without the name of the program.
int run_keygen(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace starbus::keygen
