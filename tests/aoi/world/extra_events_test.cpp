#include "aoi/world/extra_events.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class ExtraEventsTest : public ::testing::Test {
 protected:
  ExtraEventsTest() {
    for (int i = 0; i < 4; ++i) (void)parts_.add_sensor(parts_.add_entity(0));
  }
  static Event event(std::uint32_t sensor, std::uint32_t target, Kind kind = Kind::leave) {
    Event event;
    event.sensor = SensorId{sensor};
    event.target = EntityId{target};
    event.kind = kind;
    return event;
  }
  std::vector<std::uint32_t> take(std::uint32_t sensor) {
    std::vector<std::uint32_t> targets;
    for (const Event& one : parts_.extra.take(sensor)) targets.push_back(one.target.index());
    return targets;
  }
  Parts parts_;
  std::vector<std::uint64_t> reporting_ = std::vector<std::uint64_t>(1);
};

TEST_F(ExtraEventsTest, TakeAddedInAnyOrderGivesEachSensorItsTargetsInOrder) {
  for (const auto& [sensor, target] : {std::pair{3u, 2u}, {1u, 4u}, {3u, 1u}, {1u, 2u}}) {
    parts_.extra.add(event(sensor, target));
  }
  parts_.extra.sort(Kind::leave, reporting_);
  EXPECT_EQ(reporting_[0], 1u << 1 | 1u << 3);
  EXPECT_EQ(take(1), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_TRUE(take(2).empty());
  EXPECT_EQ(take(3), (std::vector<std::uint32_t>{1, 2}));
  parts_.extra.clear(Kind::leave);
  EXPECT_EQ(parts_.extra.size(Kind::leave), 0u);
}

TEST_F(ExtraEventsTest, LastGivesTheEventsOfThatKindAddedLast) {
  parts_.extra.add(event(1, 1, Kind::enter));
  parts_.extra.add(event(1, 2, Kind::enter));
  parts_.extra.add(event(1, 3, Kind::leave));
  const auto last = parts_.extra.last(Kind::enter, 1);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].target.index(), 2u);
  last[0].index = 9;
  parts_.extra.sort(Kind::enter, reporting_);
  EXPECT_EQ(parts_.extra.take(1)[1].index, 9u);
}

}  // namespace
}  // namespace starbus::aoi::test
