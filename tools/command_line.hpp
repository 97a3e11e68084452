/// How every tool reads its command line: help and version on standard output, a mistake in two
/// lines on standard error, which say what was wrong and where to look.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace starbus::tools {

/// Parses `arguments` (without the program's name) into what `app` is bound to. No value: go on.
/// Otherwise the program ends with it: 0 behind help or version, `exit_usage` behind a mistake.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments,
                         std::ostream& out, std::ostream& err, int exit_usage);

}  // namespace starbus::tools
