// Who is ended, and who is shut out, when there are too many connections without a session.
#include "bus/io/strangers/stranger_table.hpp"

#include <gmock/gmock.h>

namespace starbus::bus::io {
namespace {

using namespace std::chrono_literals;

const StrangerTable::Clock::time_point kStart{1000s};

Source address(std::uint32_t number) {
  return {false, {number, 0}};
}

TEST(StrangerTable, OneAddressHasItsShareAndThenIsShutOut) {
  StrangerTable table;
  int fd = 0;
  for (std::uint64_t i = 0; i < kStrangersOfAddress; ++i) {
    EXPECT_FALSE(table.add({++fd, address(1)}, kStart));
  }
  EXPECT_TRUE(table.is_full(address(1)));
  EXPECT_FALSE(table.is_shut_out(address(1)));
  const auto refused = table.add({++fd, address(1)}, kStart);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->descriptor, fd);
  EXPECT_TRUE(table.is_shut_out(address(1)));
  EXPECT_EQ(table.size(), kStrangersOfAddress);
  EXPECT_FALSE(table.add({++fd, address(2)}, kStart)) << "another one";
  EXPECT_FALSE(table.is_shut_out(address(2)));

  EXPECT_FALSE(table.hear_again(kStart + kShutOut - 1ms));
  EXPECT_TRUE(table.hear_again(kStart + kShutOut));
  EXPECT_FALSE(table.is_shut_out(address(1)));
  table.remove(1);
  EXPECT_FALSE(table.add({++fd, address(1)}, kStart)) << "there is room again";
}

// Somebody has many addresses. Honest hosts come and go within milliseconds.
TEST(StrangerTable, TheAddressWithMostGivesWay) {
  StrangerTable table;
  int fd = 0;
  for (int n = 0; n < 100; ++n) table.add({++fd, address(1)}, kStart);
  for (std::uint32_t i = 2; table.size() < kStrangers; ++i) {
    for (int n = 0; n < 99 && table.size() < kStrangers; ++n) table.add({++fd, address(i)}, kStart);
  }
  const auto ended = table.add({++fd, address(1'000)}, kStart);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->descriptor, 1) << "the oldest of the one that has a hundred";
  EXPECT_EQ(ended->source, address(1));
  EXPECT_EQ(table.size(), kStrangers);
  EXPECT_FALSE(table.is_shut_out(address(1))) << "it had no more than its share";
}

TEST(StrangerTable, ADescriptorThatIsUsedAgainIsAnotherConnection) {
  StrangerTable table;
  for (std::uint64_t i = 0; i < 2 * kStrangersOfAddress; ++i) {
    EXPECT_FALSE(table.add({7, address(1)}, kStart));
  }
  EXPECT_EQ(table.size(), 1U);
  table.remove(8);
  table.review(address(2), [](int) { return false; });
  EXPECT_EQ(table.size(), 1U);
  table.review(address(1), [](int) { return false; });
  EXPECT_EQ(table.size(), 0U);
}

TEST(StrangerTable, FewAreShutOutAtOnce) {
  StrangerTable table;
  int fd = 0;
  for (std::uint32_t i = 0; i <= kShutOutAddresses; ++i) {
    for (std::uint64_t n = 0; n <= kStrangersOfAddress; ++n) {
      table.add({++fd, address(i)}, kStart);
    }
    table.review(address(i), [](int) { return false; });
  }
  EXPECT_EQ(table.shut_out().size(), kShutOutAddresses);
  EXPECT_FALSE(table.is_shut_out(address(0)));
  EXPECT_TRUE(table.is_shut_out(address(kShutOutAddresses)));
}

}  // namespace
}  // namespace starbus::bus::io
