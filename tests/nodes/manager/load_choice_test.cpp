// Where new entities go: by the latest reports, and by what was placed since.
#include "nodes/manager/load_choice.hpp"

#include <gtest/gtest.h>

#include <map>

namespace starbus::nodes::manager {
namespace {

using namespace std::chrono_literals;

TEST(LoadChoice, TakesTheLeastBusyAndTheFirstByNameOfEquals) {
  LoadChoice choice;
  EXPECT_EQ(choice.choose({}), "");
  EXPECT_EQ(choice.choose({{"a.x", 200, 1s}, {"b.y", 10, 1s}, {"c.z", 90, 1s}}), "b.y");
  EXPECT_EQ(LoadChoice().choose({{"c.z", 10, 1s}, {"b.y", 10, 2s}}), "b.y");
}

TEST(LoadChoice, SpreadsWhatComesBetweenTwoReports) {
  LoadChoice choice;
  std::map<std::string, int> placed;
  const std::vector<NodeLoad> nodes = {{"a.x", 100, 1s}, {"b.y", 100, 1s}, {"c.z", 900, 1s}};
  for (int i = 0; i < 100; ++i) ++placed[choice.choose(nodes)];
  EXPECT_EQ(placed["a.x"], 50);
  EXPECT_EQ(placed["b.y"], 50);
  EXPECT_EQ(placed["c.z"], 0) << "100 entities are not as much as 800 ms a second";
}

TEST(LoadChoice, ANewReportHasWhatWasPlacedBefore) {
  LoadChoice choice;
  for (int i = 0; i < 40; ++i) EXPECT_EQ(choice.choose({{"a.x", 0, 1s}}), "a.x");
  EXPECT_EQ(choice.choose({{"a.x", 0, 1s}, {"b.y", 50, 1s}}), "b.y") << "40 count more than 50 ms";
  EXPECT_EQ(choice.choose({{"a.x", 5, 2s}, {"b.y", 50, 2s}}), "a.x") << "they do next to nothing";
}

}  // namespace
}  // namespace starbus::nodes::manager
