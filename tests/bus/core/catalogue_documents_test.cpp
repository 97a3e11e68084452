/// docs/errors.md and docs/limits.md say what the catalogues say, row for row.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"

namespace starbus::bus {
namespace {

/// The cells of the rows of all tables whose first cell is not a heading.
std::vector<std::vector<std::string>> table_rows(const std::string& document) {
  std::ifstream file(STARBUS_SOURCE_DIR "/docs/" + document);
  EXPECT_TRUE(file) << document;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  while (std::getline(file, line)) {
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
  EXPECT_FALSE(rows.empty()) << document;
  if (!rows.empty()) rows.erase(rows.begin());  // the heading
  return rows;
}

TEST(Documents, ListEveryErrorAsItIs) {
  const auto rows = table_rows("errors.md");
  ASSERT_EQ(rows.size(), error_catalogue().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ErrorInfo& info = error_catalogue()[i];
    ASSERT_EQ(rows[i].size(), 5u) << info.name;
    EXPECT_EQ(rows[i][0], std::to_string(static_cast<int>(info.code)));
    EXPECT_EQ(rows[i][1], "`" + std::string(info.name) + "`");
    EXPECT_EQ(rows[i][2], info.meaning);
    EXPECT_EQ(rows[i][3], info.cure);
    EXPECT_FALSE(rows[i][4].empty());
  }
}

TEST(Documents, ListEveryLimitAsItIs) {
  const auto rows = table_rows("limits.md");
  ASSERT_EQ(rows.size(), limit_catalogue().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LimitInfo& limit = limit_catalogue()[i];
    ASSERT_EQ(rows[i].size(), 5u) << limit.name;
    EXPECT_EQ(rows[i][0], "`" + std::string(limit.name) + "`");
    EXPECT_EQ(rows[i][1], std::to_string(limit.value) + " " + std::string(limit.unit));
    EXPECT_EQ(rows[i][2], limit.reason);
    EXPECT_EQ(rows[i][3], limit.when_reached);
    EXPECT_FALSE(rows[i][4].empty());
  }
}

}  // namespace
}  // namespace starbus::bus
