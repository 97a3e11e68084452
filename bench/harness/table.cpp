#include "bench/harness/table.hpp"

#include <cstdio>

namespace starbus::bench {

std::string shown(std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text,
                *value >= 1000 ? "%.0f"
                : *value >= 10 ? "%.1f"
                               : "%.2f",
                *value);
  return text;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string padding(width > text.size() ? width - text.size() : 0, ' ');
  return left ? text + padding : padding + text;
}

}  // namespace starbus::bench
