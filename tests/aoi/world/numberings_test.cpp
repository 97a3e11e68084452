#include "aoi/world/numberings.hpp"

#include <gtest/gtest.h>

#include "aoi/limits.hpp"

namespace starbus::aoi {
namespace {

TEST(Numberings, BeginOfOneOwnerGivesAscendingEpochs) {
  Numberings all;
  all.begin(3, SensorId{1});
  all.begin(4, SensorId{2});
  all.begin(3, SensorId{5});
  EXPECT_EQ(all.epoch(SensorId{1}), 1u);
  EXPECT_EQ(all.epoch(SensorId{2}), 1u);
  EXPECT_EQ(all.epoch(SensorId{5}), 2u);
  EXPECT_EQ(all.epoch(SensorId{6}), 0u);
}

TEST(Numberings, RaiseByAnotherWorldNeverLowers) {
  Numberings all;
  all.raise(3, 9);
  all.raise(3, 4);
  all.begin(3, SensorId{1});
  EXPECT_EQ(all.epoch(SensorId{1}), 10u);
  all.raise(3, kMaxEpoch);
  EXPECT_FALSE(all.can_begin(3));
  EXPECT_TRUE(all.can_begin(4));
  all.forget(3);
  EXPECT_TRUE(all.can_begin(3)) << "the index belongs to another entity now";
}

TEST(Numberings, EndAnswersUntilTheUpdateAfterTheNext) {
  Numberings all;
  all.begin(3, SensorId{1});
  all.end(SensorId{1});
  EXPECT_EQ(all.epoch(SensorId{1}), 1u);
  all.advance();
  EXPECT_EQ(all.epoch(SensorId{1}), 1u) << "the update that reports its leaves";
  all.advance();
  EXPECT_EQ(all.epoch(SensorId{1}), 0u);
}

TEST(Numberings, GroupIsKeptByTheNextNumberingOfASensor) {
  Numberings all;
  all.begin(3, SensorId{1});
  all.set_group(SensorId{1}, 7);
  all.begin(3, SensorId{1});
  EXPECT_EQ(all.group(SensorId{1}), 7u);
  EXPECT_EQ(all.epoch(SensorId{1}), 2u);
  EXPECT_EQ(all.group(SensorId{2}), 0u);
  EXPECT_EQ(all.find(2), nullptr);
}

}  // namespace
}  // namespace starbus::aoi
