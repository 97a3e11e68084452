/// The table [space.nav] of a type of spaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "nodes/nav/limits.hpp"
#include "nodes/space/types/space_file.hpp"

namespace starbus::nodes::space {
namespace {

using ::testing::HasSubstr;

Result<SpaceTypes> nav_types_of(const std::string& lines) {
  auto reader = daemon::ConfigReader::parse(
      "[[space]]\ntype = \"town\"\ncapacity = 100\nmin = [0, 0]\nmax = [100, 100]\n" + lines,
      "towns.toml");
  if (!reader) return reader.error();
  SpaceTypes types;
  read_space_types(*reader, types);
  if (const auto read = reader->finish(); !read) return read.error();
  return types;
}
std::string nav_problem(const std::string& lines) {
  const auto types = nav_types_of("[space.nav]\n" + lines);
  return types ? "none" : types.error().detail;
}

TEST(NavFile, ATypeWithoutItHasNoCrowd) {
  EXPECT_FALSE(nav_types_of("").value().at("town").nav);
}

TEST(NavFile, AShortTableHasDefaults) {
  const auto types = nav_types_of("[space.nav]\nmap = \"town.nav\"\nwalkers = 600\n");
  ASSERT_TRUE(types) << types.error().to_string();
  const NavType& nav = types->at("town").nav.value();
  EXPECT_EQ(nav.crowd.map, "town.nav");
  EXPECT_EQ(nav.crowd.walkers, 600u);
  EXPECT_EQ(nav.steps_per_second, 10u);
  EXPECT_EQ(nav.service, "");
  EXPECT_EQ(nav.declared, "towns.toml:7:7: ");
  ASSERT_EQ(nav.crowd.kinds.size(), 1u);
  EXPECT_EQ(nav.crowd.kinds[0].name, "walker");
}

TEST(NavFile, EachKeyIsRead) {
  const auto types = nav_types_of(R"(ticks_per_second = 20
[space.nav]
map = "town.nav"
walkers = 600
steps_per_second = 20
nodes_per_step = 999
reach = 2.5
obstacles = 8
service = "service/crowds"
[[space.nav.kind]]
name = "small"
radius = 0.3
climb = 0.5
closed = [2, 63]
[[space.nav.kind]]
name = "giant"
radius = 2
)");
  ASSERT_TRUE(types) << types.error().to_string();
  const NavType& nav = types->at("town").nav.value();
  EXPECT_EQ(nav.steps_per_second, 20u);
  EXPECT_EQ(nav.crowd.nodes_per_step, 999u);
  EXPECT_EQ(nav.crowd.reach, 2.5F);
  EXPECT_EQ(nav.crowd.obstacles, 8u);
  EXPECT_EQ(nav.service, "service/crowds");
  ASSERT_EQ(nav.crowd.kinds.size(), 2u);
  EXPECT_EQ(nav.crowd.kinds[0], (crowds::WalkerKind{"small", 0.3F, 0.5F, {2, 63}}));
  EXPECT_EQ(nav.crowd.kinds[1].radius, 2.0F);
}

TEST(NavFile, EachBoundIsNamedWithItsKey) {
  const std::string good = "map = \"a\"\nwalkers = 1\n";
  EXPECT_EQ(nav_problem(good), "none");
  EXPECT_THAT(nav_problem("walkers = 1\n"), HasSubstr("'map'"));
  EXPECT_THAT(nav_problem("map = \"a\"\n"), HasSubstr("'walkers': missing"));
  EXPECT_THAT(nav_problem("map = \"a\"\nwalkers = 65537\n"), HasSubstr("towns.toml:8:11"));
  EXPECT_THAT(nav_problem(good + "steps_per_second = 11\n"), HasSubstr("steps_per_second"));
  EXPECT_THAT(nav_problem(good + "reach = 101\n"), HasSubstr("reach"));
  EXPECT_THAT(nav_problem(good + "obstacles = 257\n"), HasSubstr("obstacles"));
  EXPECT_THAT(nav_problem(good + "speed = 1\n"), HasSubstr("unknown key 'speed'"));
  EXPECT_THAT(
      nav_problem("map = \"" + std::string(crowds::kMaxMapName + 1, 'a') + "\"\nwalkers = 1\n"),
      HasSubstr("'map': at most"));
  EXPECT_THAT(nav_problem(good + "[[space.nav.kind]]\nname = \"" +
                          std::string(crowds::kMaxKindName + 1, 'a') + "\"\n"),
              HasSubstr("'name': at most"));
  EXPECT_THAT(nav_problem(good + "[[space.nav.kind]]\nname = \"a\"\nclosed = [64]\n"),
              HasSubstr("'closed': give areas"));
  std::string kinds;
  for (std::size_t i = 0; i <= crowds::kMaxWalkerKinds; ++i) {
    kinds += "[[space.nav.kind]]\nname = \"k" + std::to_string(i) + "\"\n";
  }
  EXPECT_THAT(nav_problem(good + kinds), HasSubstr("'kind': at most"));
  EXPECT_THAT(
      nav_problem(good + "[[space.nav.kind]]\nname = \"a\"\n[[space.nav.kind]]\nname = \"a\"\n"),
      HasSubstr("twice"));
}

}  // namespace
}  // namespace starbus::nodes::space
