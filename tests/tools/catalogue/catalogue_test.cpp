/// The reference pages say what the tables say, and the tests that documents name exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "tests/places.hpp"
#include "tools/catalogue/pages.hpp"

namespace starbus::catalogue {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Catalogue, ReferencePagesAreWhatTheTablesSay) {
  EXPECT_TRUE(text_of(source_file("docs/reference/errors.md")) == errors_page())
      << "docs/reference/errors.md is not what the tables say: run scripts/docs";
  EXPECT_TRUE(text_of(source_file("docs/reference/limits.md")) == limits_page())
      << "docs/reference/limits.md is not what the tables say: run scripts/docs";
}

TEST(Catalogue, RowsAreComplete) {
  for (const ErrorDomain* const domain : error_domains()) {
    std::set<std::string_view> names;
    std::uint16_t previous = 0;
    for (const ErrorInfo& info : domain->errors) {
      EXPECT_GT(info.number, previous) << domain->name << " " << info.name;
      previous = info.number;
      EXPECT_TRUE(names.insert(info.name).second) << domain->name << " " << info.name;
      EXPECT_FALSE(info.meaning.empty()) << domain->name << " " << info.name;
      EXPECT_FALSE(info.cure.empty()) << domain->name << " " << info.name;
    }
  }
  for (const LimitTable& table : limit_tables()) {
    std::set<std::string_view> names;
    for (const LimitInfo& limit : table.limits) {
      EXPECT_TRUE(names.insert(limit.name).second) << table.part << " " << limit.name;
      EXPECT_GT(limit.value, 0u) << table.part << " " << limit.name;
      EXPECT_FALSE(limit.unit.empty()) << table.part << " " << limit.name;
      EXPECT_FALSE(limit.reason.empty()) << table.part << " " << limit.name;
      EXPECT_FALSE(limit.when_reached.empty()) << table.part << " " << limit.name;
    }
  }
}

/// "Suite.Case" of every test and every property in the tree.
std::set<std::string> all_tests() {
  const std::regex test(R"((?:TEST(?:_F|_P)?|RC_GTEST_(?:FIXTURE_)?PROP)\(\s*(\w+),\s*(\w+)[,)])");
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
  for (const char* document : {"design/guarantees.md", "design/track-record.md",
                               "reference/errors.md", "reference/limits.md"}) {
    const std::string text = text_of(source_file("docs/" + std::string(document)));
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
      EXPECT_TRUE(tests.contains((*at)[1].str())) << document << ": " << (*at)[1];
    }
  }
}

}  // namespace
}  // namespace starbus::catalogue
