#include "daemon/config/config_values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;

TEST(ConfigValues, Durations) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("30d"), 720h);
  EXPECT_EQ(parse_duration("0s"), 0s);
  for (const char* bad : {"", "s", "30", "-1s", "1.5s", "30 s", "30S", "30s ", "1w",
                          "99999999999999999999s", "9999999999999999h"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2min), "2m");
  EXPECT_EQ(format_duration(36h), "36h");
  EXPECT_EQ(format_duration(168h), "7d");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(0s), "0ms");
}

TEST(ConfigValues, Sizes) {
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("64KiB"), 65536U);
  EXPECT_EQ(parse_size("16MiB"), 16U << 20);
  EXPECT_EQ(parse_size("2GiB"), 2ULL << 30);
  EXPECT_EQ(parse_size("9223372036854775807"), 9223372036854775807ULL);
  for (const char* bad : {"", "MiB", "16MB", "16M", "-1", "1.5MiB", "0x10", "16 MiB",
                          "9223372036854775808", "99999999999GiB"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
  EXPECT_EQ(format_size(16U << 20), "16MiB");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(0), "0");
}

TEST(ConfigValues, ClosestWord) {
  const std::vector<std::string> known = {"listen", "lease", "max_names"};
  EXPECT_EQ(closest_word("liste", known), "listen");
  EXPECT_EQ(closest_word("lsiten", known), "listen");
  EXPECT_EQ(closest_word("max-names", known), "max_names");
  EXPECT_EQ(closest_word("laese", known), "lease");
  EXPECT_FALSE(closest_word("zzz", known));
  EXPECT_FALSE(closest_word(std::string(100'000, 'l'), known));
}

}  // namespace
}  // namespace starbus::daemon
