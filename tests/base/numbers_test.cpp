#include "base/numbers.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace starbus {
namespace {

TEST(ParseNumber, TakesTheWholeTextAlone) {
  EXPECT_EQ(parse_number<unsigned>("42"), 42u);
  EXPECT_EQ(parse_number<unsigned>("007"), 7u);
  EXPECT_EQ(parse_number<int>("-3"), -3);
  EXPECT_EQ(parse_number<std::uint64_t>("ff", 16), 255u);
  for (const char* text : {"", "4x", "x4", " 4", "4 ", "+4", "4\n", "0x4", "4.0", "1e3"}) {
    EXPECT_FALSE(parse_number<unsigned>(text)) << text;
  }
  EXPECT_FALSE(parse_number<unsigned>("-1"));
}

TEST(ParseNumber, EndsAtTheRangeOfItsType) {
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
  EXPECT_EQ(parse_number<std::int8_t>("-128"), -128);
  EXPECT_FALSE(parse_number<std::int8_t>("-129"));
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_FALSE(parse_number<std::uint64_t>("18446744073709551616"));
}

}  // namespace
}  // namespace starbus
