/// Properties whose state was packed for a move: nothing is written that would be lost.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

TEST(FrozenProperties, RefuseEveryWriteByTypeAndAreRead) {
  Hero hero;
  hero.gold = 7;
  ASSERT_TRUE(hero.marks.push_back(1));
  ASSERT_TRUE(hero.items.insert(1));
  Bytes saved;
  ASSERT_TRUE(hero.encode_saved(View::save, saved));
  Bytes travelled;
  ASSERT_TRUE(hero.encode_snapshot(View::migration, travelled));
  hero.freeze();
  EXPECT_TRUE(hero.frozen());
  EXPECT_EQ(hero.gold.set(1).error(), DataErrc::frozen);
  EXPECT_THROW(hero.gold = 1, BadData);
  EXPECT_EQ(hero.stats->strength.set(1).error(), DataErrc::frozen);
  EXPECT_EQ(hero.marks.push_back(1).error(), DataErrc::frozen);
  EXPECT_EQ(hero.marks.clear().error(), DataErrc::frozen);
  EXPECT_EQ(hero.prices.put("a", 1).error(), DataErrc::frozen);
  EXPECT_EQ(hero.items.insert(2).error(), DataErrc::frozen);
  EXPECT_EQ(hero.items.clear().error(), DataErrc::frozen);
  EXPECT_EQ(hero.set("gold", 5).error(), DataErrc::frozen);
  EXPECT_EQ(hero.load_saved(saved).error(), DataErrc::frozen);
  EXPECT_EQ(hero.apply_snapshot(travelled).error(), DataErrc::frozen);
  EXPECT_EQ(hero.reset(Lifetime::space).error(), DataErrc::frozen);
  EXPECT_EQ(hero.gold, 7);
  EXPECT_EQ(hero.marks.size(), 1U);
  hero.thaw();
  hero.gold = 8;
  EXPECT_EQ(hero.gold, 8);
}

TEST(FrozenProperties, AWatcherHearsOfNothingMeanwhile) {
  Hero hero;
  hero.watch(Audience::own_client);
  hero.drop_news(Audience::own_client);
  hero.freeze();
  EXPECT_THROW(hero.gold += 1, BadData);
  EXPECT_EQ(hero.news(), 0);
  hero.thaw();
  hero.gold += 1;
  EXPECT_NE(hero.news(), 0);
}

}  // namespace
}  // namespace starbus::entity::test
