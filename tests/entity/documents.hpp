/// Tables of docs/, for the tests that compare them with the catalogues in the code.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace starbus {

/// The cells of the rows of the table below this heading ("## Limits"), without its own head.
inline std::vector<std::vector<std::string>> table_below(const std::string& document,
                                                         const std::string& heading) {
  std::ifstream file(source_file("docs/" + document));
  EXPECT_TRUE(file) << document;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  while (std::getline(file, line) && line != heading) {
  }
  while (std::getline(file, line) && !line.starts_with("## ")) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      if (end == std::string::npos) break;
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    rows.push_back(std::move(cells));
  }
  EXPECT_FALSE(rows.empty()) << document << ": " << heading;
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// Each row of the table of limits says what the catalogue says.
template <class Limits>
void expect_limits(const std::string& document, const Limits& limits) {
  const auto rows = table_below(document, "## Limits");
  ASSERT_EQ(rows.size(), limits.size()) << document;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& limit = limits[i];
    ASSERT_EQ(rows[i].size(), 4u) << limit.name;
    EXPECT_EQ(rows[i][0], "`" + std::string(limit.name) + "`");
    EXPECT_EQ(rows[i][1], std::to_string(limit.value) + " " + std::string(limit.unit));
    EXPECT_EQ(rows[i][2], limit.reason);
    EXPECT_EQ(rows[i][3], limit.when_reached);
  }
}

/// Likewise of errors.
template <class Errors>
void expect_errors(const std::string& document, const Errors& errors) {
  const auto rows = table_below(document, "## Errors");
  ASSERT_EQ(rows.size(), errors.size()) << document;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 2u) << errors[i].name;
    EXPECT_EQ(rows[i][0], "`" + std::string(errors[i].name) + "`");
    EXPECT_EQ(rows[i][1], errors[i].meaning);
  }
}

}  // namespace starbus
