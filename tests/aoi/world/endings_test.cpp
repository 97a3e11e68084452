#include "aoi/world/endings.hpp"

#include <gtest/gtest.h>

namespace starbus::aoi {
namespace {

TEST(Endings, TakeGivesEachSensorItsLostTargetsAndWhatItSaw) {
  Endings endings;
  const std::vector<EntityIndex> saw = {2, 8};
  endings.lose(5, 7);
  endings.end(3, EntityId{1}, saw);
  endings.lose(1, 4);
  endings.lose(5, 6);
  EXPECT_EQ(endings.size(), 5u);
  std::vector<std::uint64_t> reporting(1);
  endings.sort(reporting);
  EXPECT_EQ(reporting[0], 1u << 1 | 1u << 3 | 1u << 5);
  EXPECT_EQ(endings.take(1).lost.size(), 1u);
  EXPECT_TRUE(endings.take(2).empty());
  const Endings::Row removed = endings.take(3);
  EXPECT_EQ(removed.observer, EntityId{1});
  EXPECT_EQ(std::vector<EntityIndex>(removed.saw.begin(), removed.saw.end()), saw);
  EXPECT_EQ(endings.take(5).lost.size(), 2u);
  endings.start();
  EXPECT_EQ(endings.size(), 0u);
}

}  // namespace
}  // namespace starbus::aoi
