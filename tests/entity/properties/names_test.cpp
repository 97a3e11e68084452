// Fields that take their names from the source: the same schema as with texts, byte for byte.
#include <gmock/gmock.h>

#include "entity/properties/properties.hpp"

namespace starbus::entity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const FieldInfo& field : schema.fields()) names.push_back(field.name);
  return names;
}

struct Sword : Struct<Sword> {
  STARBUS_FIELDS(Field<int> kind{*this}; Field<int, own_client | save> count{*this, 1};)
};
struct Stats : Struct<Stats> {
  STARBUS_FIELDS(Field<int> strength{*this};)
};
struct Fighter : Properties<Fighter> {
  STARBUS_FIELDS(
      // A comment is no text: not_a_field{*this}.
      Field<std::string, all_clients | save> nick{*this, "nobody"};
      Field<std::int64_t, own_client | save> gold{*this, 100}; Field<Stats> stats{*this};
      List<int, save> quests{*this}; Map<std::string, std::vector<int>, save> prices{*this};
      Bag<Sword, own_client | save> swords{*this, 60};)
};
/// The same in long.
struct SwordInLong : Struct<SwordInLong> {
  entity::Field<int> kind{this, "kind"};
  entity::Field<int, Flags::own_client | Flags::save> count{this, "count", 1};
};
struct StatsInLong : Struct<StatsInLong> {
  entity::Field<int> strength{this, "strength"};
};
struct InLong : Properties<InLong> {
  entity::Field<std::string, Flags::all_clients | Flags::save> nick{this, "nick", "nobody"};
  entity::Field<std::int64_t, Flags::own_client | Flags::save> gold{this, "gold", 100};
  entity::Field<StatsInLong> stats{this, "stats"};
  entity::List<int, Flags::save> quests{this, "quests"};
  entity::Map<std::string, std::vector<int>, Flags::save> prices{this, "prices"};
  entity::Bag<SwordInLong, Flags::own_client | Flags::save> swords{this, "swords", 60};
};

TEST(FieldNames, AreThoseOfTheSourceAndOfOneSchemaWithTexts) {
  EXPECT_THAT(names_of(Fighter::schema_of()),
              ElementsAre("nick", "gold", "stats", "quests", "prices", "swords"));
  EXPECT_EQ(Fighter::schema_of().hash(), InLong::schema_of().hash());
  EXPECT_EQ(Fighter::schema_of().saved_hash(), InLong::schema_of().saved_hash());
  Fighter fighter;
  EXPECT_EQ(fighter.nick.get(), "nobody");
  EXPECT_EQ(fighter.gold, 100);
  fighter.watch(Audience::own_client);
  fighter.swords.insert(7).value()->count = 3;
  Bytes bytes;
  EXPECT_TRUE(fighter.encode_saved(View::save, bytes));
  InLong same;
  EXPECT_TRUE(same.load_saved(bytes));
  EXPECT_EQ(same.swords.at(7).count, 3);
  static_assert(sizeof(Fighter) == sizeof(InLong));
}

struct Knight : Properties<Knight, Fighter> {
  STARBUS_FIELDS(Field<int, save> order{*this}; Field<int, save> honour{*this};)
  entity::Field<int> renamed{this, "was_called"};
};

TEST(FieldNames, OfADerivedClassAreItsOwn) {
  EXPECT_THAT(names_of(Knight::schema_of()),
              ElementsAre("nick", "gold", "stats", "quests", "prices", "swords", "order", "honour",
                          "was_called"));
}

struct Stray : Properties<Stray, Fighter> {
  Field<int> mood{*this};  // its base has a list, and it has none
};

TEST(FieldNames, AFieldWithoutOneIsRefusedAtStartUp) {
  try {
    Stray::schema_of();
    FAIL() << "a field without a name";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Stray: a field with {*this} stands outside"));
  }
}

TEST(FieldNames, AreFoundHoweverTheyAreWritten) {
  constexpr std::string_view kText =
      "Field<int> a{*this}; Field<int> b2_ { *this, f(*this) }; Field<T> c{ *this, T{1} };";
  EXPECT_EQ(declared_field(kText, 0), "a");
  EXPECT_EQ(declared_field(kText, 1), "b2_");
  EXPECT_EQ(declared_field(kText, 2), "c");
  EXPECT_EQ(declared_field(kText, 3), "");
  EXPECT_EQ(declared_field("", 0), "");
  EXPECT_EQ(declared_field("{*this, f(*this)", 0), "");
}

}  // namespace
}  // namespace starbus::entity
