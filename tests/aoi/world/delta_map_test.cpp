#include "aoi/world/delta_map.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class DeltaMapTest : public ::testing::Test {
 protected:
  bool reports(SensorIndex sensor, Kind kind) {
    return (parts_.deltas.reporting(kind)[sensor / 64] >> sensor % 64 & 1) != 0;
  }
  std::vector<EntityIndex> of_plain(SensorIndex sensor, Kind kind) {
    std::vector<EntityIndex> scratch;
    const auto found = parts_.deltas.of_plain(sensor, kind, scratch);
    return {found.begin(), found.end()};
  }
  Parts parts_;
  SensorIndex plain_ = parts_.add_sensor(parts_.add_entity(0));
  SensorIndex managed_ = parts_.add_sensor(parts_.add_entity(0));
};

TEST_F(DeltaMapTest, OfPlainTwoEntriesGivesBoth) {
  Delta& delta = parts_.deltas.delta();
  parts_.deltas.start();
  delta.leave(9);
  delta.close(plain_, false, false);
  delta.leave(4);
  delta.enter(7);
  delta.close(plain_, false, false);
  parts_.deltas.map();
  EXPECT_EQ(of_plain(plain_, Kind::leave), (std::vector<EntityIndex>{4, 9}));
  EXPECT_EQ(of_plain(plain_, Kind::enter), std::vector<EntityIndex>{7});
  EXPECT_TRUE(reports(plain_, Kind::leave));
  EXPECT_TRUE(reports(plain_, Kind::enter));
  EXPECT_TRUE(of_plain(managed_, Kind::leave).empty());
  EXPECT_FALSE(reports(managed_, Kind::leave));
}

TEST_F(DeltaMapTest, CollectManagedSensorSortsItsChangesAndReportsNone) {
  parts_.interest.manage(managed_);
  Delta& delta = parts_.deltas.delta();
  parts_.deltas.start();
  for (const EntityIndex target : {8u, 3u, 5u}) delta.enter(target);
  delta.close(managed_, true, false);
  parts_.deltas.map();
  EXPECT_FALSE(reports(managed_, Kind::enter));
  EXPECT_TRUE(of_plain(managed_, Kind::enter).empty());
  std::vector<EntityIndex> left = {1};
  std::vector<EntityIndex> entered;
  std::vector<std::uint64_t> marks;
  parts_.deltas.collect(managed_, left, entered, marks);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(entered, (std::vector<EntityIndex>{3, 5, 8}));
}

}  // namespace
}  // namespace starbus::aoi::test
