/// Completion scripts, generated from the definition of the command line, so that they are always
/// up to date.
#pragma once

#include <string>

#include "bus/core/error.hpp"

namespace CLI {
class App;
}

namespace starbus::bustop {

/// `shell`: bash, zsh or fish; bad_config otherwise.
bus::Result<std::string> completion_script(const CLI::App& app, const std::string& shell);

}  // namespace starbus::bustop
