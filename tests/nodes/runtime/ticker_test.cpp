/// The tick of a node in virtual time: its rhythm, what it costs, and what it misses.
#include "nodes/runtime/ticker.hpp"

#include <gmock/gmock.h>

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using entity::Tick;
using entity::TickPhase;

class TickerTest : public ::testing::Test {
 protected:
  entity::TimerWheel wheel{entity::Time{0}};
  Load load;
  Ticker ticker{wheel, load, 100ms};
};

TEST_F(TickerTest, NothingTicksBeforeThereIsAFunction) {
  wheel.advance(10s);
  EXPECT_EQ(wheel.size(), 0u);
  EXPECT_EQ(ticker.add({.name = "f"}, nullptr).error().code, entity::TickErrc::no_callback);
  EXPECT_EQ(ticker.add({.name = ""}, [](const Tick&) {}).error().code, entity::TickErrc::bad_name);
  EXPECT_EQ(wheel.size(), 0u);
  ASSERT_TRUE(ticker.add({.name = "f"}, [](const Tick&) {}));
  ASSERT_TRUE(ticker.add({.name = "g"}, [](const Tick&) {}));
  EXPECT_EQ(wheel.size(), 1u);
}

TEST_F(TickerTest, LateLoopMergesMissedTicks) {
  std::vector<entity::Time> at;
  ASSERT_TRUE(ticker.add({.name = "f"}, [&](const Tick& tick) { at.push_back(tick.now); }));
  for (const auto now : {100ms, 230ms, 299ms, 300ms, 851ms, 899ms, 900ms}) wheel.advance(now);
  EXPECT_THAT(at, ::testing::ElementsAre(100ms, 200ms, 300ms, 800ms, 900ms));
  EXPECT_EQ(ticker.ticks(), 5u);
  EXPECT_EQ(ticker.missed(), 4u) << "of 400, 500, 600 and 700; 800 had the one at 851";
}

TEST_F(TickerTest, IntervalEqualToPeriodRunsEachTick) {
  int ran = 0;
  ASSERT_TRUE(ticker.add({.name = "f", .interval = 100ms}, [&](const Tick& tick) {
    ++ran;
    EXPECT_EQ(tick.passed, ran > 1 ? 100ms : 0ms);
    EXPECT_EQ(tick.missed, 0u);
  }));
  for (const auto now : {140ms, 203ms, 355ms, 400ms, 599ms, 600ms}) wheel.advance(now);
  EXPECT_EQ(ran, 6);
}

TEST_F(TickerTest, WhatAFunctionTakesIsMeasuredUnderItsName) {
  const Load::Source* during = nullptr;
  ASSERT_TRUE(ticker.add({.name = "walk", .phase = TickPhase::movement},
                         [&](const Tick&) { during = load.running().source; }));
  wheel.advance(100ms);
  wheel.advance(200ms);
  ASSERT_NE(during, nullptr);
  EXPECT_EQ(during->name, "tick walk");
  EXPECT_EQ(during->count, 2u);
  EXPECT_EQ(load.running().source, nullptr);
}

}  // namespace
}  // namespace starbus::nodes
