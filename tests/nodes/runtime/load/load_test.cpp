#include "nodes/runtime/load/load.hpp"

#include <gmock/gmock.h>

#include <string>

#include "nodes/runtime/load/busy_meter.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

void spin(std::uint64_t ticks) {
  const std::uint64_t begun = entity::rpc::ticks();
  while (entity::rpc::ticks() - begun < ticks) {
  }
}

TEST(Load, TimeIsAHandlersOwnWithoutThatOfHandlersWithin) {
  Load load;
  Load::Source& outer = load.source("outer");
  Load::Source& inner = load.source("inner");
  {
    const Load::Scope a(load, outer);
    spin(50'000);
    const Load::Scope b(load, inner);
    spin(5'000'000);
  }
  EXPECT_GE(outer.ticks, 50'000u);
  EXPECT_GE(inner.ticks, 5'000'000u);
  EXPECT_LT(outer.ticks, inner.ticks);
  EXPECT_GE(load.measured(), outer.ticks + inner.ticks);
  EXPECT_EQ(outer.count, 1u);
}

TEST(Load, ShowsTheInnermostHandlerWhileItRuns) {
  Load load;
  Load::Source& outer = load.source("outer");
  Load::Source& inner = load.source("inner");
  EXPECT_EQ(load.running().source, nullptr);
  {
    const Load::Scope a(load, outer);
    EXPECT_EQ(load.running().source, &outer);
    const std::uint64_t since = load.running().since;
    {
      const Load::Scope b(load, inner);
      EXPECT_EQ(load.running().source, &inner);
    }
    EXPECT_EQ(load.running().source, &outer);
    EXPECT_EQ(load.running().since, since);
  }
  EXPECT_EQ(load.running().source, nullptr);
}

TEST(Load, OneNameIsOneRowHoweverItIsGiven) {
  Load load;
  Load::Source& row = load.source(std::string_view("save"));
  EXPECT_EQ(&load.source(WorkName("save")), &row);
  const std::string made = "save";
  EXPECT_EQ(&load.source(std::string_view(made)), &row);
  EXPECT_EQ(load.size(), 1u);
}

TEST(Load, UnnamedClosureIsNamedByItsFunction) {
  const auto closure = [] {};
  EXPECT_THAT(WorkName(typeid(closure)).text(), HasSubstr("UnnamedClosureIsNamedByItsFunction"));
  EXPECT_LE(WorkName(typeid(closure)).text().size(), kMaxSourceName);
}

TEST(Load, KindsBeyondTheBoundShareARow) {
  Load load;
  for (std::size_t i = 0; i < kMaxSources + 100; ++i) {
    load.charge(load.source(std::string_view(std::to_string(i))), 1);
  }
  EXPECT_EQ(load.size(), kMaxSources);
  EXPECT_EQ(load.source(std::string_view("(others)")).count, 101u);
}

TEST(Load, RatesAreThoseOfTheLatestSample) {
  Load load;
  Load::Source& row = load.source("a");
  Load::Source& idle = load.source("b");
  load.charge(idle, 9'000'000);
  load.sample(1, 1);
  load.charge(row, 5'000'000);
  load.sample(0.5, 1);
  EXPECT_DOUBLE_EQ(row.busy_ms_per_s, 10);
  EXPECT_DOUBLE_EQ(idle.busy_ms_per_s, 0);
  const auto busiest = load.busiest(10);
  ASSERT_EQ(busiest.size(), 2u);
  EXPECT_EQ(busiest[0], &row) << "though the other one has more in all";
  EXPECT_EQ(load.busiest(1).size(), 1u);
}

TEST(BusyMeter, TakesTheLargerOfProcessorTimeAndTimeInHandlers) {
  BusyMeter meter;
  meter.sample(10s, 1s, 1s);
  EXPECT_DOUBLE_EQ(meter.rates().busy, 0) << "one reading is no rate";
  meter.sample(12s, 1s + 500ms, 1s + 100ms);
  EXPECT_DOUBLE_EQ(meter.rates().busy, 250);
  EXPECT_DOUBLE_EQ(meter.rates().handlers, 50);
  meter.sample(13s, 1s + 500ms, 1s + 900ms);
  EXPECT_DOUBLE_EQ(meter.rates().busy, 800) << "a handler that sleeps is busy";
  meter.sample(14s, 9s, 9s);
  EXPECT_DOUBLE_EQ(meter.rates().busy, 1000) << "never more than there is";
}

}  // namespace
}  // namespace starbus::nodes
