#include "base/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace starbus {
namespace {

TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(crc32c(0, ""), 0u);
  EXPECT_EQ(crc32c(0, "123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(0, std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(0, std::string(32, '\xff')), 0x62A8AB43u);
}

TEST(Crc32c, GoesOnAndAgreesWithTheTable) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string data(size, '\0');
    for (char& c : data) c = static_cast<char>(random());
    const std::uint32_t whole = crc32c(0, data);
    EXPECT_EQ(whole, crc32c_portable(0, data));
    const std::size_t cut = size / 3;
    EXPECT_EQ(whole, crc32c(crc32c(0, data.substr(0, cut)), data.substr(cut)));
    EXPECT_EQ(whole, crc32c_portable(crc32c_portable(0, data.substr(0, cut)), data.substr(cut)));
  }
}

}  // namespace
}  // namespace starbus
