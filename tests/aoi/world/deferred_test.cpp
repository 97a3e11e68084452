#include "aoi/world/deferred.hpp"

#include <gtest/gtest.h>

#include <new>

namespace starbus::aoi {
namespace {

TEST(Deferred, RunWhileInactiveRunsAtOnceAndReturnsTheError) {
  Deferred deferred;
  int runs = 0;
  EXPECT_TRUE(deferred.run([&]() -> Result<> {
    ++runs;
    return {};
  }));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(deferred.run([]() -> Result<> { return Errc::too_many; }).error(), Errc::too_many);
  EXPECT_EQ(deferred.take_refused(), 0u);
}

TEST(Deferred, RunWhileActiveRunsInOrderAtTheEndAndCountsRefusals) {
  Deferred deferred;
  std::vector<int> order;
  deferred.begin();
  for (const int i : {1, 2, 3}) {
    EXPECT_TRUE(deferred.run([&order, i]() -> Result<> {
      order.push_back(i);
      if (i == 2) return Errc::unknown_entity;
      return {};
    }));
  }
  EXPECT_TRUE(order.empty());
  deferred.finish();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(deferred.active());
  EXPECT_EQ(deferred.take_refused(), 1u);
  EXPECT_EQ(deferred.take_refused(), 0u) << "taken";
}

TEST(Deferred, OperationWithoutMemoryIsRefusedAndTheNextRuns) {
  Deferred deferred;
  bool ran = false;
  deferred.begin();
  (void)deferred.run([]() -> Result<> { throw std::bad_alloc(); });
  (void)deferred.run([&]() -> Result<> {
    ran = true;
    return {};
  });
  deferred.finish();
  EXPECT_TRUE(ran);
  EXPECT_EQ(deferred.take_refused(), 1u);
}

TEST(Deferred, ExpectedRowsAreKnownUntilTheEnd) {
  Deferred deferred;
  deferred.begin();
  deferred.expect_sensor({SensorId{7}, 3, true, false});
  deferred.expect_hidden(EntityId{5});
  ASSERT_NE(deferred.sensor(SensorId{7}), nullptr);
  EXPECT_EQ(deferred.sensor(SensorId{7})->owner, 3u);
  EXPECT_EQ(deferred.sensor(SensorId{8}), nullptr);
  EXPECT_TRUE(deferred.is_hidden(EntityId{5}));
  EXPECT_FALSE(deferred.is_hidden(EntityId{6}));
  deferred.finish();
  EXPECT_EQ(deferred.sensor(SensorId{7}), nullptr);
  EXPECT_FALSE(deferred.is_hidden(EntityId{5}));
}

}  // namespace
}  // namespace starbus::aoi
