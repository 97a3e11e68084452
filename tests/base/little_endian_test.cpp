#include "base/little_endian.hpp"

#include <gtest/gtest.h>

#include <array>

namespace starbus {
namespace {

TEST(LittleEndian, StoresTheLowestByteFirst) {
  std::array<std::byte, 4> bytes{};
  store(bytes.data(), std::uint32_t{0x04030201});
  EXPECT_EQ(bytes, (std::array{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}));
  EXPECT_EQ(load<std::uint32_t>(bytes.data()), 0x04030201u);
  EXPECT_EQ(load<std::uint16_t>(bytes.data() + 1), 0x0302u);
}

TEST(LittleEndian, LoadsFromAnyPlaceOfAText) {
  constexpr std::string_view kBytes("x\xff\x02\0y", 5);
  EXPECT_EQ(load<std::uint16_t>(kBytes, 1), 0x02ffu);
  EXPECT_EQ(load<std::uint8_t>(kBytes, 4), 'y');
}

TEST(LittleEndian, HasNumbersOfAnySizeUpToEightBytes) {
  constexpr std::uint64_t kNumber = 0x8877665544332211;
  for (std::size_t size = 0; size <= 8; ++size) {
    std::string out = "x";
    append_little(out, kNumber, size);
    ASSERT_EQ(out.size(), 1 + size);
    const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
    EXPECT_EQ(load_little(std::string_view(out).substr(1)), kNumber & mask) << size;
  }
}

TEST(LittleEndianDeathTest, ANumberThatDoesNotFitIsAnErrorOfTheProgram) {
  EXPECT_DEATH((void)load<std::uint32_t>("abc", 0), "at <= bytes.size");
  EXPECT_DEATH((void)load_little("123456789"), "bytes.size");
}

}  // namespace
}  // namespace starbus
