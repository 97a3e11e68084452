/// Properties and structs that extend others: one schema, the base's fields first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

using ::testing::ElementsAre;

struct ActorState : Properties<ActorState> {
  Field<int, all_clients | save> hp{this, "hp", 100};
  Field<Stats, all_clients | save> stats{this, "stats"};
  static void evolve(Evolution& evolution) { evolution.renamed("health", "hp"); }
};
struct MonsterState : Properties<MonsterState, ActorState> {
  Field<int, all_clients | save> rage{this, "rage"};
  Bag<Item, all_clients | save> loot{this, "loot", 4};
};
struct BossState : Properties<BossState, MonsterState> {
  Field<std::string, all_clients | save> title{this, "title"};
  static void evolve(Evolution& evolution) { evolution.renamed("rank", "title"); }
};

struct OldBoss : Properties<OldBoss> {
  Field<int, save> health{this, "health"};
  Field<std::string, save> rank{this, "rank"};
};

struct Tool : Struct<Tool> {
  Field<int> kind{this, "kind"};
};
struct Sword : Struct<Sword, Tool> {
  Field<int> edge{this, "edge", 7};
};
struct Armed : Properties<Armed> {
  Bag<Sword, all_clients | save> swords{this, "swords", 4};
};

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const FieldInfo& field : schema.fields()) names.push_back(field.name);
  return names;
}

TEST(Inheritance, TheSchemaHasTheFieldsOfTheBaseFirst) {
  EXPECT_THAT(names_of(BossState::schema_of()),
              ElementsAre("hp", "stats", "rage", "loot", "title"));
  EXPECT_THAT(names_of(ActorState::schema_of()), ElementsAre("hp", "stats"));
  BossState boss;
  const ActorState& as_actor = boss;
  EXPECT_EQ(&as_actor.schema(), &BossState::schema_of()) << "whatever it is taken for";
  EXPECT_NE(ActorState::schema_of().hash(), MonsterState::schema_of().hash());
}

TEST(Inheritance, ReplicasGetChangesOfAllFields) {
  BossState real;
  BossState copy;
  copy.become_replica(Audience::own_client);
  real.watch(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes).has_value());
  ASSERT_TRUE(copy.apply_snapshot(bytes).has_value());
  std::vector<std::string> told;
  ASSERT_TRUE(copy.observe(copy.hp, [&](int, int now) { told.push_back(std::to_string(now)); }));
  ASSERT_TRUE(copy.observe(
      copy.title, [&](const std::string&, const std::string& now) { told.push_back(now); }));
  ActorState& actor = real;
  actor.hp = 40;  // as code that knows actors alone writes it
  actor.stats->strength = 9;
  ASSERT_TRUE(real.loot.insert(3).has_value());
  real.title = "king";
  ASSERT_TRUE(real.flush(
      [&](Audience, ByteView news) { ASSERT_TRUE(copy.apply_delta(news).has_value()); }));
  EXPECT_EQ(copy.to_json(), real.to_json());
  EXPECT_THAT(told, ElementsAre("40", "king"));
}

TEST(Inheritance, IsSavedAndMovedAsAWhole) {
  BossState real;
  real.hp = 40;
  real.rage = 2;
  real.title = "king";
  Bytes saved;
  ASSERT_TRUE(real.encode_saved(View::save, saved).has_value());
  BossState loaded;
  ASSERT_TRUE(loaded.load_saved(saved).has_value());
  EXPECT_EQ(loaded.to_json(), real.to_json());
  Bytes moving;
  ASSERT_TRUE(real.encode_snapshot(View::migration, moving).has_value());
  BossState moved;
  ASSERT_TRUE(moved.apply_snapshot(moving).has_value());
  EXPECT_EQ(moved.to_json(), real.to_json());
  ASSERT_TRUE(real.reset(Lifetime::space).has_value());
}

TEST(Inheritance, OldNamesOfTheWholeLineAreKnown) {
  OldBoss old;
  old.health = 5;
  old.rank = "duke";
  Bytes saved;
  ASSERT_TRUE(old.encode_saved(View::save, saved).has_value());
  BossState loaded;
  ASSERT_TRUE(loaded.load_saved(saved).has_value());
  EXPECT_EQ(loaded.hp, 5) << "renamed by the base of its base";
  EXPECT_EQ(loaded.title, "duke");
  MonsterState monster;  // evolve is inherited: it applies once
  ASSERT_TRUE(monster.load_saved(saved).has_value());
  EXPECT_EQ(monster.hp, 5);
}

TEST(Inheritance, ItemsOfABagMayExtendAStruct) {
  Armed real;
  ASSERT_TRUE(real.swords.insert(1).has_value());
  real.swords.at(1).kind = 4;
  Armed copy;
  copy.become_replica(Audience::own_client);
  real.watch(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes).has_value());
  ASSERT_TRUE(copy.apply_snapshot(bytes).has_value());
  EXPECT_EQ(copy.swords.at(1).kind, 4);
  EXPECT_EQ(copy.swords.at(1).edge, 7);
  Sword sword;
  sword.kind = 2;
  const Sword other = sword;
  EXPECT_EQ(other.kind, 2);
}

// What used to compile and to lose the fields of the derived class without a word.
struct Silent : ActorState {};
static_assert(names_itself<ActorState> && names_itself<BossState> && names_itself<Sword>);
static_assert(!names_itself<Silent>, "a field in it does not compile");

}  // namespace
}  // namespace starbus::entity::test
