// Cells of the tables that the benchmarks print.
#pragma once

#include <optional>
#include <string>

namespace starbus::bench {

// A figure with as many digits as it is worth; "-" for none.
std::string shown(std::optional<double> value);

std::string padded(const std::string& text, std::size_t width, bool left);

}  // namespace starbus::bench
