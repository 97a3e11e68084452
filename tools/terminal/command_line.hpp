/// Parses the command lines of all tools: help and version go to standard output, a mistake to
/// standard error, as two lines with the mistake and a hint.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace starbus::tools {

/// Parses `arguments` (without the program's name) into the variables of `app`. Returns nullopt to
/// continue, else the exit code: 0 after help or version, `exit_usage` after a mistake.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments,
                         std::ostream& out, std::ostream& err, int exit_usage);

/// Removes the set that CLI11's validators add to the help in their own notation.
CLI::Validator quiet(CLI::Validator validator);
/// Numbers from 1. CLI11 itself reads -1, and numbers above the type, as the largest number.
CLI::Validator number_to(std::uint64_t most);
/// Largest number of a message, as in mail/rows.hpp, for tools that know nothing of stores.
inline constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 56;
/// Largest value of --limit.
inline constexpr std::uint64_t kMostRows = 10'000'000;

}  // namespace starbus::tools
