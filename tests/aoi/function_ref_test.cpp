#include "aoi/arrays/function_ref.hpp"

#include <gtest/gtest.h>

namespace starbus::aoi {
namespace {

int sum(FunctionRef<int(int)> function) {
  return function(1) + function(2);
}

TEST(FunctionRef, CallsTheObjectItselfAndNotACopy) {
  int calls = 0;
  auto count = [calls, &total = calls](int value) mutable {
    ++calls;
    total = calls;
    return value * 10;
  };
  EXPECT_EQ(sum(count), 30);
  EXPECT_EQ(sum(count), 30);
  EXPECT_EQ(calls, 4) << "the same object each time";
}

TEST(FunctionRef, CopyRefersToTheSameObject) {
  int last = 0;
  const auto keep = [&last](int value) { return last = value; };
  const FunctionRef<int(int)> first(keep);
  const FunctionRef<int(int)> second(first);
  EXPECT_EQ(second(7), 7);
  EXPECT_EQ(last, 7);
}

}  // namespace
}  // namespace starbus::aoi
