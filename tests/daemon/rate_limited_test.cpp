#include "daemon/rate_limited.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const RateLimited::Clock::time_point kStart{1000s};

TEST(RateLimited, AllowsSomeThenSaysHowManyWereSuppressed) {
  const test::LogCapture log;
  RateLimited limited(2, 10s);
  EXPECT_TRUE(limited.allow("peer", kStart));
  EXPECT_TRUE(limited.allow("peer", kStart + 1s));
  for (int i = 0; i < 17; ++i) EXPECT_FALSE(limited.allow("peer", kStart + 2s));
  EXPECT_TRUE(limited.allow("other", kStart + 2s));
  EXPECT_EQ(log.text(), "");
  EXPECT_TRUE(limited.allow("peer", kStart + 10s));
  EXPECT_EQ(log.text(), "warning: peer: 17 more lines in 10 s were suppressed\n");
}

TEST(RateLimited, SweepReportsWhatNobodyAskedForAgain) {
  const test::LogCapture log;
  RateLimited limited(1, 10s);
  limited.allow("peer", kStart);
  limited.allow("peer", kStart);
  limited.sweep(kStart + 9s);
  EXPECT_EQ(log.text(), "");
  limited.sweep(kStart + 10s);
  EXPECT_THAT(log.text(), HasSubstr("peer: 1 more lines"));
  limited.sweep(kStart + 30s);
  EXPECT_EQ(test::lines_of(log.text()).size(), 1U);
}

TEST(RateLimited, AFloodOfKeysIsLimitedToo) {
  const test::LogCapture log;
  RateLimited limited(1, 10s);
  std::size_t allowed = 0;
  for (std::size_t i = 0; i < 10 * RateLimited::kMaxKeys; ++i) {
    if (limited.allow("peer" + std::to_string(i), kStart)) ++allowed;
  }
  EXPECT_LE(allowed, RateLimited::kMaxKeys + 1);
  limited.sweep(kStart + 10s);
  EXPECT_THAT(log.text(), HasSubstr("(others): 9215 more lines"));
  EXPECT_TRUE(limited.allow("fresh", kStart + 10s));
}

// Somebody tries every port of every address, and connects again and again from new ports.
TEST(RateLimited, AScannerUsesUpNoKeyOfThoseThatAreKnown) {
  const test::LogCapture log;
  RateLimited limited(1, 10s);
  EXPECT_TRUE(limited.allow_stranger("10.0.0.7:4711", kStart));
  EXPECT_FALSE(limited.allow_stranger("10.0.0.7:4712", kStart)) << "the same source";
  EXPECT_TRUE(limited.allow_stranger("[fe80::1]:4711", kStart));
  EXPECT_FALSE(limited.allow_stranger("[fe80::1]:4712", kStart));
  EXPECT_TRUE(limited.allow_stranger("fe80::2", kStart));
  EXPECT_TRUE(limited.allow_stranger("fe80::3", kStart)) << "another address, no port";
  for (std::size_t i = 0; i < 10 * RateLimited::kMaxKeys; ++i) {
    limited.allow_stranger("10.1.0." + std::to_string(i), kStart);
  }
  EXPECT_TRUE(limited.allow("host-a", kStart));
  EXPECT_TRUE(limited.allow("host-b", kStart)) << "each known peer has its own";
  limited.sweep(kStart + 10s);
  EXPECT_THAT(log.text(), HasSubstr("10.0.0.7: 1 more lines"));
}

}  // namespace
}  // namespace starbus::daemon
