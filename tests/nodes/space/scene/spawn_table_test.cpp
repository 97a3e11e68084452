/// What is made when, where, and how often again.
#include "nodes/space/scene/spawn_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;
using Time = SpawnTable::Time;

SpawnRow row(std::uint32_t id, std::uint32_t count, std::optional<SceneTime> respawn = {}) {
  SpawnRow made;
  made.id = id;
  made.kind = "wolf";
  made.at = {10, 20, 3};
  made.count = count;
  made.respawn = respawn;
  return made;
}
std::size_t all(SpawnTable& table, Time now) {
  std::size_t made = 0;
  while (const auto birth = table.next(now)) {
    table.born(birth->row->id);
    ++made;
  }
  return made;
}

TEST(SpawnTable, EachRowBeginsWithAllAfterItsTime) {
  std::vector<SpawnRow> rows = {row(1, 3), row(2, 2)};
  rows[1].first = 5s;
  SpawnTable table(rows, entity::RandomStream(1));
  EXPECT_EQ(table.due(), std::nullopt);
  table.begin(100s);
  EXPECT_EQ(all(table, 100s), 3U);
  EXPECT_EQ(table.due(), 105s);
  EXPECT_EQ(all(table, 105s - 1ns), 0U);
  EXPECT_EQ(all(table, 105s), 2U);
  EXPECT_EQ(table.living(), 5U);
  EXPECT_EQ(table.living(2), 2U);
  EXPECT_EQ(table.living(9), 0U);
}

TEST(SpawnTable, WhatEndsComesBackOrNot) {
  SpawnTable table({row(1, 1, 30s), row(2, 1)}, entity::RandomStream(1));
  table.begin(0s);
  EXPECT_EQ(all(table, 0s), 2U);
  table.ended(1, 10s);
  table.ended(1, 10s);  // only one lived
  table.ended(2, 10s);
  table.ended(9, 10s);
  EXPECT_EQ(table.living(), 0U);
  EXPECT_EQ(table.due(), 40s);
  EXPECT_EQ(all(table, 40s), 1U);
  EXPECT_EQ(table.due(), std::nullopt);
}

TEST(SpawnTable, WhatCannotBeMadeIsTriedAgainMoreAndMoreSeldom) {
  SpawnTable table({row(1, 1)}, entity::RandomStream(1));
  table.begin(0s);
  Time now{};
  std::vector<Time> pauses;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(table.next(now));
    table.failed(1, now);
    pauses.push_back(*table.due() - now);
    now = *table.due();
  }
  EXPECT_EQ(pauses.front(), kBirthAgain);
  EXPECT_EQ(pauses[1], 2 * kBirthAgain);
  EXPECT_EQ(pauses.back(), kLongestBirthAgain);
  ASSERT_TRUE(table.next(now));
  table.born(1);
  EXPECT_EQ(table.living(1), 1U);
}

TEST(SpawnTable, AThousandAreMadeInSlices) {
  SpawnTable table({row(1, 1'000)}, entity::RandomStream(1));
  table.begin(0s);
  std::size_t ticks = 0;
  for (bool more = true; more; ++ticks) {
    for (std::size_t i = 0; more && i < kBirthsPerTick; ++i) more = table.next(0s).has_value();
  }
  EXPECT_EQ(table.living(), 1'000U);
  EXPECT_EQ(ticks, 1'000 / kBirthsPerTick + 1);
}

TEST(SpawnTable, NothingIsMadeAfterItsEnd) {
  SpawnTable table({row(1, 2, 1s)}, entity::RandomStream(1));
  table.begin(0s);
  ASSERT_TRUE(table.next(0s));
  table.stop();
  table.ended(1, 0s);
  EXPECT_FALSE(table.next(100s));
}

TEST(SpawnTable, PlacesAreSpreadEvenlyAndTheSameForASeed) {
  std::vector<SpawnRow> rows = {row(1, 1'000)};
  rows[0].spread = 8;
  const auto places = [&](std::uint64_t seed) {
    SpawnTable table(rows, entity::RandomStream(seed));
    table.begin(0s);
    std::vector<aoi::Position> at;
    while (const auto birth = table.next(0s)) at.push_back(birth->at);
    return at;
  };
  const auto first = places(7);
  EXPECT_EQ(first, places(7));
  EXPECT_NE(first, places(8));
  std::size_t inner = 0;
  for (const aoi::Position& at : first) {
    const float away = std::hypot(at.x - 10, at.y - 20);
    EXPECT_LE(away, 8.001F);
    EXPECT_EQ(at.z, 3);
    if (away < 4) ++inner;
  }
  EXPECT_GT(inner, 200U);  // a quarter of the area has a quarter of them
  EXPECT_LT(inner, 300U);
}

/// Random lives: no row ever has more than its count, and none is lost.
TEST(SpawnTable, NeverMoreThanTheCountAndNoneIsLost) {
  std::mt19937_64 random(3);
  std::vector<SpawnRow> rows = {row(1, 5, 3s), row(4, 2, 1s), row(9, 7, 10s)};
  SpawnTable table(rows, entity::RandomStream(1));
  table.begin(0s);
  Time now{};
  std::map<std::uint32_t, std::size_t> living;
  for (int step = 0; step < 20'000; ++step) {
    now += std::chrono::milliseconds(random() % 500);
    if (const auto birth = table.next(now)) {
      if (random() % 4 == 0) {
        table.failed(birth->row->id, now);
      } else {
        table.born(birth->row->id);
        ++living[birth->row->id];
      }
    }
    const std::uint32_t dies = rows[random() % 3].id;
    if (random() % 3 == 0 && living[dies] > 0) {
      --living[dies];
      table.ended(dies, now);
    }
    for (const SpawnRow& each : rows) {
      ASSERT_EQ(table.living(each.id), living[each.id]);
      ASSERT_LE(living[each.id], each.count);
    }
  }
  for (int i = 0; i < 100; ++i) all(table, now += 60s);
  EXPECT_EQ(table.living(), 14U);
}

}  // namespace
}  // namespace starbus::nodes::space
