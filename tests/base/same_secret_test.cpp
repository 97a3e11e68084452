#include "base/same_secret.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starbus {
namespace {

bool same(const std::string& shown, const std::string& secret) {
  return same_secret(std::as_bytes(std::span(shown)), std::as_bytes(std::span(secret)));
}

TEST(SameSecret, IsSoOnlyOfTheSameBytes) {
  EXPECT_TRUE(same("open sesame", "open sesame"));
  EXPECT_TRUE(same("", ""));
  for (const std::string wrong : {"", "open sesam", "open sesame ", "Open sesame", "open sesamf"}) {
    EXPECT_FALSE(same(wrong, "open sesame")) << wrong;
  }
}

}  // namespace
}  // namespace starbus
