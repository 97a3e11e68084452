/// Which properties a store gets as values.
#include "nodes/hosting/searchable.hpp"

#include <gtest/gtest.h>

#include "entity/properties/properties.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::Field;
using entity::Flags;

struct Stats : entity::Struct<Stats> {
  Field<int> strength{this, "strength"};
};
struct PlayerState : entity::Properties<PlayerState> {
  Field<int, Flags::save> level{this, "level"};
  Field<int> mood{this, "mood"};
  Field<Stats, Flags::save> stats{this, "stats"};
  Field<Stats> shown{this, "shown"};
  entity::Map<std::string, int, Flags::save> prices{this, "prices"};
  entity::Bag<Stats, Flags::save> gems{this, "gems", 3};
};

TEST(Searchable, AreFieldsThatAreSavedAndFieldsOfThese) {
  const PlayerState state;
  const auto wrong = [&](const std::string& path) {
    return not_searchable(state, {"level", path});
  };
  EXPECT_EQ(wrong("stats"), "");
  EXPECT_EQ(wrong("stats.strength"), "");
  EXPECT_EQ(wrong("prices"), "");
  for (const std::string path : {"mood", "shown.strength", "lvl", "level.more", "stats.wit",
                                 "prices[\"sword\"]", "gems[1]", "gems.strength", "", "."}) {
    EXPECT_EQ(wrong(path), path) << path;
  }
}

TEST(Searchable, ValuesAreThoseOfNowAndWhatIsNoneIsLeftOut) {
  PlayerState state;
  state.level = 7;
  state.stats->strength = 3;
  const auto values = searchable_values(state, {"level", "mood", "stats.strength"});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].path, "level");
  EXPECT_EQ(values[0].value, 7);
  EXPECT_EQ(values[1].path, "stats.strength");
  EXPECT_EQ(values[1].value, 3);
}

}  // namespace
}  // namespace starbus::nodes::entities
