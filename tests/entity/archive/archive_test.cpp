#include "entity/archive/archive.hpp"
#include <gtest/gtest.h>
TEST(A, B) {
  using namespace starbus::entity;
  std::map<std::string, std::vector<std::optional<int>>> m{{"a", {1, {}, 3}}};
  auto b = encode(m, std::variant<int, std::string>("x"), std::tuple<int, double>(1, 2.5),
                  std::chrono::milliseconds(5), std::array<int, 3>{1, 2, 3});
  ASSERT_TRUE(b);
  auto r = decode_all<decltype(m), std::variant<int, std::string>, std::tuple<int, double>,
                      std::chrono::milliseconds, std::array<int, 3>>(*b);
  ASSERT_TRUE(r);
  EXPECT_EQ(std::get<0>(*r), m);
}
