#include "aoi/world/sensor_handlers.hpp"

#include <gtest/gtest.h>

namespace starbus::aoi {
namespace {

TEST(SensorHandlers, EndWhileItRunsKeepsTheHandlerUntilDropEnded) {
  SensorHandlers handlers;
  EXPECT_TRUE(handlers.empty());
  int calls = 0;
  handlers.add(SensorId{1}, [&](const Event&) { ++calls; });
  handlers.add(SensorId{2}, [](const Event&) {});
  handlers.end(SensorId{1});
  handlers.end(SensorId{3});
  ASSERT_NE(handlers.find(SensorId{1}), nullptr);
  (*handlers.find(SensorId{1}))(Event{});
  EXPECT_EQ(calls, 1);
  handlers.drop_ended();
  EXPECT_EQ(handlers.find(SensorId{1}), nullptr);
  EXPECT_NE(handlers.find(SensorId{2}), nullptr);
}

TEST(SensorHandlers, FindAfterManyWereAddedReturnsTheSameAddress) {
  SensorHandlers handlers;
  handlers.add(SensorId{1}, [](const Event&) {});
  const auto* const first = handlers.find(SensorId{1});
  for (std::uint32_t i = 2; i < 1'000; ++i) handlers.add(SensorId{i}, [](const Event&) {});
  EXPECT_EQ(handlers.find(SensorId{1}), first);
}

}  // namespace
}  // namespace starbus::aoi
