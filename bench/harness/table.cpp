#include "bench/harness/table.hpp"

#include <algorithm>
#include <cstdio>

namespace starbus::bench {
namespace {

bool says_nothing(const Column& column) {
  return std::ranges::all_of(column.cells,
                             [](const std::string& cell) { return cell.empty() || cell == "-"; });
}

std::size_t width_of(const Column& column) {
  std::size_t width = column.title.size();
  for (const std::string& cell : column.cells) width = std::max(width, cell.size());
  return width;
}

}  // namespace

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

std::string table_of(const std::vector<Column>& columns) {
  std::vector<std::string> lines;
  for (const Column& column : columns) {
    if (says_nothing(column)) continue;
    const std::size_t width = width_of(column);
    lines.resize(std::max(lines.size(), column.cells.size() + 1));
    for (std::size_t i = 0; i <= column.cells.size(); ++i) {
      const std::string& cell = i == 0 ? column.title : column.cells[i - 1];
      const std::string padding(width - cell.size(), ' ');
      if (!lines[i].empty()) lines[i] += "  ";
      lines[i] += column.left ? cell + padding : padding + cell;
    }
  }
  std::string text;
  for (const std::string& line : lines)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace starbus::bench
