/// How every tool reads its command line: help and version on standard output, a mistake in two
/// lines on standard error, which say what was wrong and where to look.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace starbus::tools {

/// Parses `arguments` (without the program's name) into what `app` is bound to. No value: go on.
/// Otherwise the program ends with it: 0 behind help or version, `exit_usage` behind a mistake.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments,
                         std::ostream& out, std::ostream& err, int exit_usage);

/// CLI11's own validators write their set into the help, in a notation of theirs.
CLI::Validator quiet(CLI::Validator validator);
/// From 1. CLI11 alone takes -1, and what no integer holds, as the largest number that there is.
CLI::Validator number_to(std::uint64_t most);
/// Of messages, as mail/rows.hpp has it, for tools that know nothing of stores.
inline constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 56;
/// Of --limit.
inline constexpr std::uint64_t kMostRows = 10'000'000;

}  // namespace starbus::tools
