#include "aoi/world/view_limits.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class ViewLimitsTest : public ::testing::Test {
 protected:
  SensorIndex add_sensor(LimitPolicy policy, std::uint16_t count) {
    SensorOptions of;
    of.limit = {policy, count, 0};
    return parts_.add_sensor(parts_.add_entity(0), of);
  }
  Parts parts_;
};

TEST_F(ViewLimitsTest, NearestCrowdedShowsTheNearest) {
  const SensorIndex sensor = add_sensor(LimitPolicy::nearest, 2);
  std::vector<EntityIndex> targets;
  for (const float x : {9.F, 3.F, 6.F, 1.F}) targets.push_back(parts_.add_entity(x));
  (void)parts_.evaluate();
  const Managed* managed = parts_.tables.sensors[sensor].managed.get();
  ASSERT_NE(managed, nullptr) << "more in range than its limit";
  EXPECT_EQ(managed->reported, (std::vector<EntityIndex>{targets[1], targets[3]}));
  EXPECT_EQ(managed->farthest, 9);
}

TEST_F(ViewLimitsTest, PriorityCrowdedShowsTheHeaviest) {
  const SensorIndex sensor = add_sensor(LimitPolicy::priority, 2);
  std::vector<EntityIndex> targets;
  for (const float weight : {0.F, 5.F, 1.F, 7.F}) {
    targets.push_back(parts_.add_entity(1, 0, weight));
  }
  (void)parts_.evaluate();
  EXPECT_EQ(parts_.tables.sensors[sensor].managed->reported,
            (std::vector<EntityIndex>{targets[1], targets[3]}));
}

TEST_F(ViewLimitsTest, ChoosePinnedTargetTakesNoPlace) {
  const SensorIndex sensor = add_sensor(LimitPolicy::nearest, 1);
  const EntityIndex forced = parts_.add_entity(1);
  const EntityIndex nearest = parts_.add_entity(2);
  (void)parts_.add_entity(3);
  (void)parts_.evaluate();
  parts_.pins.force(sensor, forced);
  Managed& managed = *parts_.tables.sensors[sensor].managed;
  managed.pinned = true;
  std::vector<EntityIndex> shown;
  parts_.limits.choose(sensor, managed, shown);
  EXPECT_EQ(shown, std::vector<EntityIndex>{nearest});
}

}  // namespace
}  // namespace starbus::aoi::test
