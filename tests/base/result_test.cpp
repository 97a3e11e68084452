/// A Result is a value or an error, and never neither.
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace starbus::dock {

#define STARBUS_DOCK_ERRORS(X) X(full, 1, later, "the dock is full", "wait")
STARBUS_ERRORS(Errc, std::uint8_t, kDockErrors, 1003, "dock", STARBUS_DOCK_ERRORS)

}  // namespace starbus::dock

namespace starbus {
namespace {

using dock::Errc;

Result<std::unique_ptr<int>> moved(bool well) {
  if (!well) return Error(Errc::full, "of ships");
  auto made = std::make_unique<int>(7);
  return made;
}

TEST(Results, HoldAValueOrAnError) {
  const auto good = moved(true);
  ASSERT_TRUE(good);
  EXPECT_EQ(**good, 7);
  EXPECT_EQ(good.error().code, Code());
  const auto bad = moved(false);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.has_error());
  EXPECT_EQ(bad.error(), Errc::full);
  EXPECT_EQ(bad.error().detail, "of ships");
}

TEST(Results, PassErrorsOn) {
  const auto outer = []() -> Result<std::string> {
    auto inner = moved(false);
    if (!inner) return inner.error();
    return "never";
  };
  EXPECT_EQ(outer().error().to_string(), "full: of ships");
  EXPECT_EQ(*moved(true).value(), 7);
}

TEST(Results, WithoutAValueAreOkByDefault) {
  Result<> result;
  EXPECT_TRUE(result);
  result.value();
  result = Errc::full;
  EXPECT_FALSE(result);
}

TEST(Results, ReadingAFailureAsAValueThrows) {
  const Result<int> failed = Errc::full;
  try {
    (void)failed.value();
    FAIL();
  } catch (const BadResult& bad) {
    EXPECT_EQ(bad.code, Errc::full);
    EXPECT_STREQ(bad.what(), "full");
  }
  EXPECT_THROW(Result<>(Errc::full).value(), BadResult);
  EXPECT_DEATH((void)*failed, "has_value");
}

TEST(Results, HaveErrorsOfAnotherTypeToo) {
  struct Refusal {
    int reason = 0;
  };
  const Result<int, Refusal> refused = Refusal{3};
  EXPECT_EQ(refused.error().reason, 3);
  EXPECT_THROW((void)refused.value(), BadResult);
  const Result<int, std::string> text(in_place_value, 4);
  EXPECT_EQ(*text, 4);
}

TEST(Results, AValueCanBeMovedOut) {
  Result<std::string> result = std::string(100, 'x');
  const std::string taken = *std::move(result);
  EXPECT_EQ(taken.size(), 100u);
  std::string all;
  for (const char c : *Result<std::string>("abc")) all += c;
  EXPECT_EQ(all, "abc");
}

}  // namespace
}  // namespace starbus
