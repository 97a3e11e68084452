// The tables that the benchmarks print.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace starbus::bench {

// A figure with as many digits as it is worth; "-" for none.
std::string shown(std::optional<double> value);

struct Column {
  std::string title;
  bool left = false;  // aligned
  std::vector<std::string> cells = {};
};

// Columns are as wide as their widest cell; one whose cells are all "" or "-" is left out.
std::string table_of(const std::vector<Column>& columns);

}  // namespace starbus::bench
