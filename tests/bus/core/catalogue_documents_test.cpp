/// docs/reference/errors.md and docs/reference/limits.md say what the catalogues say, row for row;
/// and the tests that documents name exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "tests/places.hpp"

namespace starbus::bus {
namespace {

/// The cells of the rows of all tables whose first cell is not a heading.
std::vector<std::vector<std::string>> table_rows(const std::string& document) {
  std::ifstream file(source_file("docs/" + document));
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
  const auto rows = table_rows("reference/errors.md");
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
  const auto rows = table_rows("reference/limits.md");
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

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// "Suite.Case" of every test and every property in the tree.
std::set<std::string> all_tests() {
  const std::regex test(R"((?:TEST(?:_F|_P)?|RC_GTEST_PROP)\((\w+),\s*(\w+)[,)])");
  std::set<std::string> tests;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file("tests"))) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return tests;
}

TEST(Documents, NameOnlyTestsThatExist) {
  const std::set<std::string> tests = all_tests();
  const std::regex named(R"(`([A-Z]\w+\.[A-Z]\w+)`)");
  for (const char* document : {"design/guarantees.md", "reference/limits.md", "reference/errors.md",
                               "design/track-record.md"}) {
    const std::string text = text_of(source_file("docs/" + std::string(document)));
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
      EXPECT_TRUE(tests.contains((*at)[1].str())) << document << ": " << (*at)[1];
    }
  }
}

}  // namespace
}  // namespace starbus::bus
