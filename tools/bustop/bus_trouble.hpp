/// What commands that ask over the bus say of an error, and the exit code.
#pragma once

#include <string_view>

#include "bus/core/error.hpp"
#include "tools/bustop/manager_commands.hpp"

namespace starbus::bustop {

/// What an operator can do about errors that mean something else for each command. Empty: the cure
/// of that error in general.
struct Cures {
  std::string_view no_owner = {};
  std::string_view denied = {};
};

/// Prints the error and its cure; kExitUnreachable or kExitFailed.
int say(const ManagerContext& context, const bus::Error& error, const Cures& cures);

/// Of commands that ask nodes: who may do so.
inline constexpr std::string_view kAskingCure =
    "operators are users of a [[role]] with trust = \"server\" that may send to node/ and group/, "
    "as the role tools; see docs/operate/gate.md";

}  // namespace starbus::bustop
