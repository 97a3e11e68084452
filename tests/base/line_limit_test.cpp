// Budgets of log lines by key, on a clock of the test.
#include "base/line_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace starbus {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::milliseconds;

class LineLimitTest : public testing::Test {
 protected:
  bool allow(const std::string& key, Time now) {
    return limit_.allow(key, now, [this](const std::string& of, std::uint64_t count) {
      reports_.push_back(of + " " + std::to_string(count));
    });
  }
  void sweep(Time now) {
    limit_.sweep(now, [this](const std::string& of, std::uint64_t count) {
      reports_.push_back(of + " " + std::to_string(count));
    });
  }

  LineLimit<std::string, Time> limit_{2, 1s, 10s};
  std::vector<std::string> reports_;
};

TEST_F(LineLimitTest, EachKeyHasABudgetInEachInterval) {
  EXPECT_TRUE(allow("a", 5s));
  EXPECT_TRUE(allow("a", 5s));
  EXPECT_FALSE(allow("a", 5999ms));
  EXPECT_TRUE(allow("b", 5999ms));
  EXPECT_TRUE(allow("a", 6s)) << "the next interval";
  EXPECT_TRUE(reports_.empty());
}

TEST_F(LineLimitTest, WhatIsLeftOutIsReportedOnce) {
  for (int i = 0; i < 5; ++i) allow("a", 0s);
  for (int i = 0; i < 5; ++i) allow("a", 2s);
  allow("b", 2s);
  sweep(9999ms);
  EXPECT_TRUE(reports_.empty());
  sweep(12s);
  EXPECT_EQ(reports_, std::vector<std::string>{"a 6"}) << "b has left nothing out";
  EXPECT_EQ(limit_.size(), 0U);
  sweep(30s);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(LineLimitTest, ALaterLineReports) {
  for (int i = 0; i < 3; ++i) allow("a", 0s);
  EXPECT_TRUE(allow("a", 10s));
  EXPECT_EQ(reports_, std::vector<std::string>{"a 1"});
  EXPECT_TRUE(limit_.contains("a"));
}

}  // namespace
}  // namespace starbus
