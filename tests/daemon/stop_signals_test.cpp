/// What a stop signal means, by the times that are passed in.
#include "daemon/stop_signals.hpp"

#include <gtest/gtest.h>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using Meaning = StopSignals::Meaning;

constexpr bool kInterrupt = true;
constexpr bool kTerminate = false;

class StopSignalsTest : public ::testing::Test {
 protected:
  Meaning at(std::chrono::milliseconds time, bool interrupt) {
    return signals.take(interrupt, StopSignals::Time(1h + time));
  }
  StopSignals signals;
};

TEST_F(StopSignalsTest, TerminationsWithinASecondOfTheFirstAreOne) {
  EXPECT_FALSE(signals.stopping());
  EXPECT_EQ(at(0ms, kTerminate), Meaning::stop);
  EXPECT_TRUE(signals.stopping());
  EXPECT_EQ(at(0ms, kTerminate), Meaning::same);
  EXPECT_EQ(at(16ms, kTerminate), Meaning::same);
  EXPECT_EQ(at(kSameStop, kTerminate), Meaning::same);
}

TEST_F(StopSignalsTest, ALaterTerminationEndsAtOnce) {
  EXPECT_EQ(at(0ms, kTerminate), Meaning::stop);
  EXPECT_EQ(at(900ms, kTerminate), Meaning::same);
  // Counted from the first: whoever repeats it each 900 ms will not wait.
  EXPECT_EQ(at(kSameStop + 1ms, kTerminate), Meaning::at_once);
}

TEST_F(StopSignalsTest, ASecondInterruptEndsAtOnceHoweverSoon) {
  EXPECT_EQ(at(0ms, kInterrupt), Meaning::stop);
  EXPECT_EQ(at(1ms, kTerminate), Meaning::same);
  EXPECT_EQ(at(2ms, kInterrupt), Meaning::at_once);
}

TEST_F(StopSignalsTest, AFirstInterruptSoonAfterATerminationIsTheSameStop) {
  EXPECT_EQ(at(0ms, kTerminate), Meaning::stop);
  EXPECT_EQ(at(10ms, kInterrupt), Meaning::same);
  EXPECT_EQ(at(20ms, kInterrupt), Meaning::at_once);
}

TEST_F(StopSignalsTest, ALaterInterruptEndsAtOnce) {
  EXPECT_EQ(at(0ms, kTerminate), Meaning::stop);
  EXPECT_EQ(at(kSameStop + 1ms, kInterrupt), Meaning::at_once);
}

}  // namespace
}  // namespace starbus::daemon
