// What a program draws from its machine.
#include "bus/io/draws.hpp"

#include <gtest/gtest.h>

#include <array>

namespace starbus::bus::io {
namespace {

TEST(DrawsTest, IncarnationsGrow) {
  std::uint64_t latest = draw_incarnation();
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t next = draw_incarnation();
    EXPECT_GT(next, latest);
    latest = next;
  }
}

TEST(DrawsTest, NumbersAreNotTheSameTwice) {
  EXPECT_NE(draw_number(), 0u);
  EXPECT_NE(draw_number(), draw_number());
  std::array<std::byte, 16> first{};
  std::array<std::byte, 16> second{};
  fill_random(first);
  fill_random(second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace starbus::bus::io
