// The maps of the arena fit its spaces and its scenes: who begins there can get wherever it must.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <toml++/toml.h>
#include <fstream>

#include "nav/grid/grid_ground.hpp"
#include "tests/tools/nav/fixture.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool::test {
namespace {

class ArenaMaps : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string file(const std::string& name) { return STARBUS_ARENA "/" + name; }
  static nav::Point at(const toml::array& numbers) {
    return {numbers[0].value_or(-1.0F), numbers[1].value_or(-1.0F), 0};
  }
};

TEST_P(ArenaMaps, LeadFromTheMiddleToEveryPortalAndBack) {
  ReadOptions options;
  options.cell = 2.0F;
  options.radius = 0.5F;  // a monster
  const auto read = read_world(file("maps/" + GetParam() + ".txt"), options);
  ASSERT_TRUE(read) << read.error().to_string();
  World& world = **read;
  nav::Ground& ground = world.ground();
  EXPECT_EQ(world.islands().size(), 1u) << "nobody can be locked in";
  const toml::table spaces = toml::parse_file(file("spaces.toml"));
  bool known = false;
  for (const toml::node& one : *spaces["space"].as_array()) {
    const toml::table& row = *one.as_table();
    if (row["type"].value_or(std::string()) != GetParam()) continue;
    known = true;
    EXPECT_EQ(ground.bounds().low, at(*row["min"].as_array()));
    EXPECT_EQ(ground.bounds().high, at(*row["max"].as_array()));
  }
  EXPECT_TRUE(known);
  const nav::Point high = ground.bounds().high;
  const auto begin = ground.nearest({high.x / 2, high.y / 2, 0}, {}, world.agent());
  ASSERT_TRUE(begin) << "heroes begin in the middle";
  const auto reached = [&](nav::Point to) {
    const auto place = ground.nearest(to, {}, world.agent());
    return place && ground.reachable(*begin, *place, world.agent());
  };
  for (const std::string other : {"cave", "forest", "meadow"}) {
    const toml::table scene = toml::parse_file(file("scenes/" + other + ".toml"));
    for (const toml::node& one : *scene["portal"].as_array()) {
      const toml::table& row = *one.as_table();
      if (other == GetParam()) {
        EXPECT_TRUE(reached(at(*row["at"].as_array()))) << row["id"];
      }
      if (row["to"].value_or(std::string()) == GetParam()) {
        EXPECT_TRUE(reached(at(*row["arrive"].as_array()))) << "from " << other;
      }
    }
  }
}

TEST_P(ArenaMaps, HaveObstacles) {
  const auto read = read_world(file("maps/" + GetParam() + ".txt"), {});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_GT((*read)->closed(0, 10'000).size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Fields, ArenaMaps, ::testing::Values("cave", "forest", "meadow"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace starbus::nav_tool::test
