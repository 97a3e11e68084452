#include "base/hex.hpp"

#include <gtest/gtest.h>

namespace starbus {
namespace {

TEST(Hex, HasTwoDigitsForEachByte) {
  EXPECT_EQ(hex_of(""), "");
  EXPECT_EQ(hex_of(std::string_view("\0\x09\xaf\xff", 4)), "0009afff");
}

TEST(Hex, OfANumberHasAllDigitsOfItsType) {
  EXPECT_EQ(hex_of(std::uint8_t{0x0a}), "0a");
  EXPECT_EQ(hex_of(std::uint32_t{42}), "0000002a");
  EXPECT_EQ(hex_of(std::uint64_t{0}), "0000000000000000");
  EXPECT_EQ(hex_of(std::uint64_t{0x123456789abcdef0}), "123456789abcdef0");
}

TEST(Hex, ReadsWhatItWrites) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(bytes_of_hex(hex_of(all)), all);
  EXPECT_EQ(bytes_of_hex(""), "");
}

TEST(Hex, RefusesWhatItDoesNotWrite) {
  for (const char* text : {"0", "000", "AB", "0g", "0x", " 0", "0 "}) {
    EXPECT_FALSE(bytes_of_hex(text)) << text;
  }
}

}  // namespace
}  // namespace starbus
