/// What was saved by one declaration is loaded by another.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

namespace v1 {
struct Skill : Struct<Skill> {
  Field<int> level{this, "level"};
  Field<int> luck{this, "luck", 4};
};
struct Player : Properties<Player> {
  Field<std::int64_t, Flags::save> money{this, "money"};
  Field<std::string, Flags::save> rank{this, "rank", "3"};
  Field<int, Flags::save> gone{this, "gone", 1};
  Field<int, Flags::save> same{this, "same"};
  Bag<Skill, Flags::save> skills{this, "skills", 8};
  Field<int> session{this, "session"};
};
}  // namespace v1

namespace v2 {
struct Skill : Struct<Skill> {
  Field<std::string> note{this, "note", "new"};
  Field<int> level{this, "level"};
};
struct Player : Properties<Player> {
  Field<int, Flags::save> same{this, "same"};
  Bag<Skill, Flags::save> skills{this, "skills", 4};
  Field<std::int64_t, own_client | Flags::save> gold{this, "gold"};
  Field<int, Flags::save> rank{this, "rank"};
  Field<int, Flags::save> added{this, "added", 42};
  static void evolve(Evolution& evolution) {
    evolution.renamed("money", "gold");
    evolution.converted<std::string, int>("rank",
                                          [](const std::string& old) { return std::stoi(old); });
  }
};
struct Strict : Properties<Strict> {
  Field<int, Flags::save> rank{this, "rank"};
};
}  // namespace v2

Bytes saved(const Root& root) {
  Bytes bytes;
  EXPECT_TRUE(root.encode_saved(View::save, bytes).has_value());
  return bytes;
}

TEST(Saved, IsLoadedByName) {
  v1::Player old;
  old.money = 500;
  old.same = 6;
  old.session = 9;
  (*old.skills.insert(7))->level = 2;
  (*old.skills.insert_at(3, 8))->level = 3;
  v2::Player now;
  now.added = 1;
  const auto report = now.load_saved(saved(old));
  ASSERT_TRUE(report.has_value()) << report.error().to_string();
  EXPECT_EQ(now.gold, 500);
  EXPECT_EQ(now.rank, 3);
  EXPECT_EQ(now.same, 6);
  EXPECT_EQ(now.added, 42);
  EXPECT_EQ(now.skills.find(7)->level, 2);
  EXPECT_EQ(now.skills.slot_of(8), 3u);
  EXPECT_EQ(now.skills.find(7)->note, "new");
  EXPECT_EQ(report->converted, std::vector<std::string>{"rank"});
  EXPECT_EQ(report->added, (std::vector<std::string>{"skills[].note", "skills[].note", "added"}));
  ASSERT_EQ(report->removed.size(), 3u);
  EXPECT_EQ(report->removed[0].path, "gone");
  EXPECT_EQ(report->removed[0].value, *encode(1));
  EXPECT_EQ(report->removed[1].path, "skills[].luck");
}

TEST(Saved, RefusesUnconvertibleValuesAndStaysUnchanged) {
  v1::Player old;
  v2::Strict strict;
  strict.rank = 5;
  const auto report = strict.load_saved(saved(old));
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, DataErrc::type_changed);
  EXPECT_EQ(report.error().detail, "rank");
  EXPECT_EQ(strict.rank, 5);
  old.rank = "no number";
  v2::Player now;
  now.same = 1;
  const auto thrown = now.load_saved(saved(old));
  EXPECT_EQ(thrown.error(), DataErrc::refused);
  EXPECT_EQ(now.same, 1);
  old.rank = "1";
  ASSERT_TRUE(old.skills.insert_at(5, 1).has_value());
  EXPECT_EQ(now.load_saved(saved(old)).error(), DataErrc::bad_slot);
  EXPECT_EQ(now.same, 1);
}

TEST(Saved, ObserversTakeASnapshotAfterALoad) {
  Hero hero;
  hero.watch(Audience::own_client);
  const Version before = hero.version(Audience::own_client);
  ASSERT_TRUE(hero.load_saved(saved(Hero())).has_value());
  Bytes bytes;
  EXPECT_EQ(hero.encode_delta(Audience::own_client, before, bytes).error(), DataErrc::history_lost);
  bool snapshot = false;
  ASSERT_TRUE(hero.flush([&](Audience, ByteView news) { snapshot = news[0] == std::byte{0xa2}; })
                  .has_value());
  EXPECT_TRUE(snapshot);
}

TEST(Saved, TheOtherBuildTakesAMoveByName) {
  v1::Player old;
  old.money = 3;
  old.session = 8;
  Bytes bytes;
  ASSERT_TRUE(old.encode_saved(View::migration, bytes).has_value());
  v2::Player now;
  const auto report = now.load_saved(bytes);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(now.gold, 3);
  EXPECT_EQ(report->removed.back().path, "session");
  Bytes wrong;
  EXPECT_EQ(old.encode_saved(View::ghost, wrong).error(), DataErrc::wrong_audience);
}

TEST(Saved, AnyDamageIsLoadedWholeOrNotAtAll) {
  EXPECT_TRUE(rc::check([] {
    v1::Player old;
    (void)old.skills.insert(7);
    (void)old.skills.insert(9);
    Bytes bytes = saved(old);
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
    v2::Player now;
    now.same = 77;
    const std::string before = now.to_json().dump();
    if (!now.load_saved(bytes)) RC_ASSERT(now.to_json().dump() == before);
  }));
}

TEST(Saved, AMistakenEvolutionShowsAtStartUp) {
  struct NoSuch : Properties<NoSuch> {
    Field<int, Flags::save> a{this, "a"};
    static void evolve(Evolution& evolution) { evolution.renamed("b", "c"); }
  };
  struct WrongType : Properties<WrongType> {
    Field<int, Flags::save> a{this, "a"};
    static void evolve(Evolution& evolution) {
      evolution.converted<int, std::string>("a", [](int) { return std::string(); });
    }
  };
  EXPECT_THROW(NoSuch::schema_of(), std::logic_error);
  EXPECT_THROW(WrongType::schema_of(), std::logic_error);
}

}  // namespace
}  // namespace starbus::entity::test
