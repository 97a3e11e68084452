#include "aoi/world/epochs.hpp"

#include <gtest/gtest.h>

#include "aoi/limits.hpp"

namespace starbus::aoi {
namespace {

TEST(Epochs, BeginOfOneOwnerGivesAscendingEpochs) {
  Epochs epochs;
  epochs.begin(3, SensorId{1});
  epochs.begin(4, SensorId{2});
  epochs.begin(3, SensorId{5});
  EXPECT_EQ(epochs.of(SensorId{1}), 1u);
  EXPECT_EQ(epochs.of(SensorId{2}), 1u);
  EXPECT_EQ(epochs.of(SensorId{5}), 2u);
  EXPECT_EQ(epochs.of(SensorId{6}), 0u);
}

TEST(Epochs, RaiseByAnotherWorldNeverLowers) {
  Epochs epochs;
  epochs.raise(3, 9);
  epochs.raise(3, 4);
  epochs.begin(3, SensorId{1});
  EXPECT_EQ(epochs.of(SensorId{1}), 10u);
  epochs.raise(3, kMaxEpoch);
  EXPECT_FALSE(epochs.can_begin(3));
  EXPECT_TRUE(epochs.can_begin(4));
  epochs.forget(3);
  EXPECT_TRUE(epochs.can_begin(3)) << "the index belongs to another entity now";
}

TEST(Epochs, EndAnswersUntilTheUpdateAfterTheNext) {
  Epochs epochs;
  epochs.begin(3, SensorId{1});
  epochs.end(SensorId{1});
  EXPECT_EQ(epochs.of(SensorId{1}), 1u);
  epochs.advance();
  EXPECT_EQ(epochs.of(SensorId{1}), 1u) << "the update that reports its leaves";
  epochs.advance();
  EXPECT_EQ(epochs.of(SensorId{1}), 0u);
}

}  // namespace
}  // namespace starbus::aoi
