#include "nodes/space/types/space_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "daemon/config/config.hpp"
#include "nodes/space/limits.hpp"

namespace starbus::nodes::space {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kArea = "capacity = 100\nmin = [0, 0]\nmax = [100, 100]\n";

/// The types of a text, or all problems.
Result<SpaceTypes> types_of(const std::string& text) {
  auto reader = daemon::ConfigReader::parse(text, "spaces.toml");
  if (!reader) return reader.error();
  SpaceTypes types;
  read_space_types(*reader, types);
  if (const auto read = reader->finish(); !read) return read.error();
  return types;
}

/// The problem of a type that is right but for these lines.
std::string problem_of(const std::string& lines) {
  const auto types = types_of("[[space]]\ntype = \"town\"\n" + lines);
  return types ? "none" : types.error().detail;
}
std::string problem_with(const std::string& line) {
  return problem_of(std::string(kArea) + line + "\n");
}

TEST(SpaceFile, EachKeyIsRead) {
  const auto types = types_of(R"([[space]]
type = "town"
capacity = 200
soft_capacity = 150
min_lines = 1
max_lines = 20
precreated = 2
idle = "5m"
countdown = "30s"
min = [0, -10.5]
max = [2000, 2000, 50]
sight = 40
leave_margin = 5
cell = 64
ticks_per_second = 20
weight = 120
labels = ["big", "ssd"]
[[space]]
type = "dungeon"
scope = "key"
capacity = 5
min = [0, 0]
max = [100, 100]
)");
  ASSERT_TRUE(types) << types.error().to_string();
  ASSERT_EQ(types->size(), 2U);
  const SpaceType town{.name = "town",
                       .scope = Scope::cluster,
                       .capacity = 200,
                       .soft_capacity = 150,
                       .min_lines = 1,
                       .max_lines = 20,
                       .precreated = 2,
                       .idle = 5min,
                       .countdown = 30s,
                       .min = {0, -10.5F, 0},
                       .max = {2000, 2000, 50},
                       .sight = 40,
                       .leave_margin = 5,
                       .cell = 64,
                       .ticks_per_second = 20,
                       .weight = 120,
                       .labels = {"big", "ssd"},
                       .next = {},
                       .nav = {}};
  EXPECT_EQ(types->at("town"), town);
  EXPECT_EQ(types->at("town").tick(), 50ms);
  EXPECT_EQ(types->at("dungeon").scope, Scope::key);
  EXPECT_EQ(world_options(town).bounds.max.z, 50);
  EXPECT_EQ(world_options(town).reach, 64);
}

TEST(SpaceFile, AShortTypeHasDefaults) {
  const auto types = types_of("[[space]]\ntype = \"town\"\n" + std::string(kArea));
  ASSERT_TRUE(types) << types.error().to_string();
  const SpaceType& town = types->at("town");
  EXPECT_EQ(town.soft_capacity, 80U);
  EXPECT_EQ(town.min_lines, 0U);
  EXPECT_EQ(town.max_lines, 1U);
  EXPECT_EQ(town.precreated, 0U);
  EXPECT_EQ(town.idle, kDefaultIdle);
  EXPECT_EQ(town.countdown, kDefaultCountdown);
  EXPECT_EQ(town.weight, kDefaultWeight);
  EXPECT_EQ(town.cell, 30);
  EXPECT_EQ(town.tick(), 100ms);
}

TEST(SpaceFile, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(problem_with("capcity = 3"),
              HasSubstr("spaces.toml:6:1: unknown key 'capcity'; did you mean 'capacity'?"));
  EXPECT_THAT(problem_with("weight = \"much\""),
              HasSubstr("spaces.toml:6:10: 'weight' must be an integer, not a string"));
  EXPECT_THAT(problem_with("scope = \"world\""), HasSubstr("must be one of cluster, key"));
  EXPECT_THAT(problem_of("min = [0, 0]\nmax = [1, 1]\n"), HasSubstr("'capacity': missing; give"));
  EXPECT_THAT(problem_of("capacity = 1\n"), HasSubstr("'min': write [x, y] or [x, y, z]"));
  EXPECT_THAT(problem_of("capacity = 1\nmin = [0, 0]\nmax = [1, \"far\"]\n"),
              HasSubstr("spaces.toml:5:7: 'max': write [x, y]"));
  EXPECT_THAT(problem_of("capacity = 1\nmin = [0, 0]\nmax = [1, 2000000]\n"),
              HasSubstr("each within 1048576 of 0"));
  EXPECT_THAT(problem_of("capacity = 1\nmin = [0, 0]\nmax = [1, 0]\n"),
              HasSubstr("x and y must be greater"));
  EXPECT_THAT(problem_of("capacity = 1\nmin = [0, 0, 5]\nmax = [1, 1, 4]\n"),
              HasSubstr("z must not be less"));
  EXPECT_THAT(problem_of("capacity = 1\nmin = [0, 0]\nmax = [1000000, 1000000]\nsight = 1\n"),
              HasSubstr("'cell': the area has more than 1048576 of them; give larger cells"));
  EXPECT_THAT(problem_of("capacity = 1\n[space.area]\n"), HasSubstr("unknown table 'area'"));
  EXPECT_THAT(types_of("[[space]]\n" + std::string(kArea)).error().detail,
              HasSubstr("spaces.toml:1:1: missing key 'type'"));
  EXPECT_THAT(types_of("[[space]]\ntype = \"Town\"\n" + std::string(kArea)).error().detail,
              HasSubstr("give it 1 to 48 of a-z 0-9 _"));
}

TEST(SpaceFile, KeysThatContradictEachOtherAreRefused) {
  EXPECT_THAT(problem_with("soft_capacity = 101"), HasSubstr("at most 'capacity', which is 100"));
  EXPECT_THAT(problem_with("min_lines = 2"), HasSubstr("at most 'max_lines', which is 1"));
  EXPECT_THAT(problem_with("max_lines = 3\nmin_lines = 2\nprecreated = 1"),
              HasSubstr("at least 'min_lines', which is 2"));
  EXPECT_THAT(problem_with("scope = \"key\"\nmin_lines = 1"), HasSubstr("leave it out"));
  EXPECT_THAT(problem_with("scope = \"key\"\nprecreated = 1"), HasSubstr("leave it out"));
  EXPECT_THAT(problem_with("sight = 60000\nleave_margin = 60000"),
              HasSubstr("sight and margin together"));
}

TEST(SpaceFile, EachBoundIsNamedWithItsKey) {
  const auto within = [](const std::string& key, const std::string& bad, const std::string& text) {
    EXPECT_THAT(problem_with(key + " = " + bad),
                HasSubstr("'" + key + "' must be between " + text));
  };
  EXPECT_THAT(problem_of("capacity = 10001\nmin = [0, 0]\nmax = [1, 1]\n"),
              HasSubstr("'capacity' must be between 1 and 10000"));
  within("max_lines", "4097", "1 and 4096");
  within("max_lines", "0", "1 and 4096");
  within("ticks_per_second", "61", "1 and 60");
  within("ticks_per_second", "0", "1 and 60");
  within("weight", "501", "1 and 500");
  within("weight", "0", "1 and 500");
  within("idle", "\"999ms\"", "1s and 1d");
  within("idle", "\"25h\"", "1s and 1d");
  within("countdown", "\"61m\"", "0ms and 1h");
  within("sight", "0.5", "1 and 65536");
  within("sight", "nan", "1 and 65536");
}

TEST(SpaceFile, LabelsAreBounded) {
  EXPECT_THAT(problem_with("labels = [\"" + std::string(kMaxSpaceLabel + 1, 'a') + "\"]"),
              HasSubstr("'labels': give each 1 to 40"));
  std::string many = "labels = [";
  for (std::size_t i = 0; i <= kMaxSpaceLabels; ++i) many += "\"l" + std::to_string(i) + "\", ";
  EXPECT_THAT(problem_with(many + "]"), HasSubstr("'labels': at most 16"));
}

TEST(SpaceFile, MoreTypesThanTheLimitAreRefused) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxSpaceTypes; ++i) {
    text += "[[space]]\ntype = \"t" + std::to_string(i) + "\"\n" + std::string(kArea);
  }
  EXPECT_THAT(types_of(text).error().detail, HasSubstr("more than 1024 types"));
}

}  // namespace
}  // namespace starbus::nodes::space
