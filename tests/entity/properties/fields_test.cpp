/// What each kind of field does, records, and refuses.
#include <gtest/gtest.h>

#include <map>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

// What a flush sends, as bytes per audience.
std::map<Audience, Bytes> flushed(Root& root) {
  std::map<Audience, Bytes> sent;
  EXPECT_TRUE(root.flush([&](Audience audience, ByteView bytes) {
                    sent[audience].assign(bytes.begin(), bytes.end());
                  })
                  .has_value());
  return sent;
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// A copy of a field alone would not know its entity.
static_assert(!std::is_convertible_v<const Field<int>&, Field<int>>);
static_assert(!std::is_convertible_v<const List<int>&, List<int>>);
static_assert(std::is_convertible_v<const Item&, Item>);
static_assert(sizeof(Field<int, own_client>) == 8 && sizeof(Field<Stats>) == sizeof(Stats));

TEST(Fields, AreUsedAsTheirValues) {
  Hero hero;
  hero.gold += 5;
  --hero.gold;
  hero.gold *= 2;
  EXPECT_EQ(hero.gold, 208);
  EXPECT_TRUE(hero.gold > 10 && hero.gold <= 208);
  hero.nick = "x";
  hero.nick += "y";
  EXPECT_EQ(hero.nick, "xy");
  EXPECT_EQ(hero.nick->size(), 2u);
  hero.stats->strength = 4;
  EXPECT_EQ(hero.stats->strength, 4);
  hero.home.with_copy([](Vec& home) { home.x = 3; });
  EXPECT_EQ(hero.home->x, 3);
  hero.hidden = hero.mood;
  Stats other;
  other.strength = 9;
  *hero.stats = other;
  EXPECT_EQ(hero.stats->strength, 9);
}

TEST(Fields, AChangeIsTheBytesThatAreDocumented) {
  Hero hero;
  hero.watch(Audience::own_client);
  const auto version = static_cast<int>(hero.version(Audience::own_client).stamp);
  const std::uint32_t lineage = hero.version(Audience::own_client).lineage;
  const auto delta = [&](std::initializer_list<int> rest) {
    Bytes bytes = bytes_of({0xd2, 2});
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(lineage >> 8 * i));
    const Bytes more = bytes_of(rest);
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  };
  hero.gold = 5;
  hero.stats->focus = 1;
  auto sent = flushed(hero);
  EXPECT_EQ(sent[Audience::own_client],
            delta({version, 1, 1, 7, 1 << 3 | 1, 1, 10, 1 << 3 | 2, 6, 2, 2}));
  ASSERT_TRUE(hero.items.insert(3).has_value());
  flushed(hero);
  hero.items.edit(3)->count = -1;
  sent = flushed(hero);
  EXPECT_EQ(sent[Audience::own_client], delta({version + 2, 1, 1, 5, 1 << 3 | 2, 9, 6, 2, 1}));
}

TEST(Fields, AWriteOfTheSameValueRecordsNothing) {
  Hero hero;
  for (std::size_t i = 0; i < kAudiences; ++i) hero.watch(static_cast<Audience>(i));
  hero.gold = 100;
  hero.nick = "nobody";
  hero.stats->strength = 3;
  hero.home = Vec{};
  hero.marks = std::vector<int>{};
  hero.prices = std::map<std::string, int>{};
  (void)hero.marks.clear();
  (void)hero.items.clear();
  hero.hidden = 5;
  EXPECT_EQ(hero.seal(), 0);
  EXPECT_TRUE(flushed(hero).empty());
}

TEST(Fields, RefusedWritesChangeAndRecordNothing) {
  Hero hero;
  hero.watch(Audience::own_client);
  EXPECT_EQ(hero.marks.pop_back().error(), DataErrc::bad_index);
  EXPECT_EQ(hero.marks.set_at(0, 1).error(), DataErrc::bad_index);
  EXPECT_EQ(hero.marks.erase_at(0).error(), DataErrc::bad_index);
  EXPECT_EQ(hero.marks.insert_at(1, 1).error(), DataErrc::bad_index);
  EXPECT_EQ(hero.prices.erase("x").error(), DataErrc::no_such_key);
  EXPECT_EQ(hero.prices.put("", 1).error(), DataErrc::bad_key);
  EXPECT_EQ(hero.prices.put(std::string(65, 'k'), 1).error(), DataErrc::bad_key);
  EXPECT_EQ(hero.items.erase(1).error(), DataErrc::no_such_key);
  EXPECT_EQ(hero.items.move(1, 1).error(), DataErrc::no_such_key);
  EXPECT_EQ(hero.items.insert_at(4, 1).error(), DataErrc::bad_slot);
  EXPECT_EQ(hero.nick.set(std::string(kMaxValue, 'x')).error(), DataErrc::too_large);
  EXPECT_THROW(hero.nick = std::string(kMaxValue, 'x'), BadData);
  EXPECT_EQ(hero.marks.set(std::vector<int>(kMaxElements + 1)).error(), DataErrc::too_large);
  EXPECT_EQ(hero.seal(), 0);
  EXPECT_EQ(hero.to_json(), Hero().to_json());
}

TEST(Fields, ABagRefusesInvalidItems) {
  Hero hero;
  hero.watch(Audience::own_client);
  for (std::int64_t key = 0; key < 4; ++key) ASSERT_TRUE(hero.items.insert(key).has_value());
  hero.seal();
  EXPECT_EQ(hero.items.insert(9).error(), DataErrc::bag_full);
  EXPECT_EQ(hero.items.insert(3).error(), DataErrc::key_exists);
  EXPECT_EQ(hero.items.insert_at(2, 9).error(), DataErrc::bad_slot);
  EXPECT_EQ(hero.items.move(3, 4).error(), DataErrc::bad_slot);
  EXPECT_TRUE(hero.items.move(3, 3).has_value());
  EXPECT_EQ(hero.seal(), 0);
  ASSERT_TRUE(hero.items.move(3, 0).has_value());
  EXPECT_EQ(*hero.items.key_at(0), 3);
  EXPECT_EQ(hero.items.slot_of(0), 3u);
  ASSERT_TRUE(hero.items.erase(0).has_value());
  EXPECT_EQ(hero.items.key_at(3), nullptr);
  EXPECT_EQ(hero.items.edit(0), nullptr);
  EXPECT_THROW((void)hero.items.at(0), BadData);
}

TEST(Fields, ABagThatIsRefusedAsAWholeIsAsItWas) {
  Hero source;
  ASSERT_TRUE(source.items.insert(1).has_value());
  ASSERT_TRUE(source.items.insert(2).has_value());
  // Each change fits, and the item has become larger than one that is inserted may be.
  source.items.edit(2)->marks = std::vector<int>(40'000, 1);
  Hero hero;
  ASSERT_TRUE(hero.items.insert(7).has_value());
  hero.watch(Audience::own_client);
  hero.seal();
  EXPECT_THROW(hero.items = source.items, BadData);
  EXPECT_TRUE(hero.items.contains(7));
  EXPECT_EQ(hero.items.size(), 1u);
  EXPECT_EQ(hero.seal(), 0) << "and nobody was told";
  source.items.edit(2)->marks = {};
  hero.items = source.items;
  EXPECT_TRUE(hero.items.contains(1) && hero.items.contains(2) && !hero.items.contains(7));
}

TEST(Fields, AChangeWithinABagIsIndependentOfTheRest) {
  struct Chest : Properties<Chest> {
    Bag<Item, own_client> items{this, "items", 300};
  };
  Chest few;
  Chest many;
  few.watch(Audience::own_client);
  many.watch(Audience::own_client);
  ASSERT_TRUE(few.items.insert(1001).has_value());
  for (std::int64_t key = 900; key < 1100; ++key) ASSERT_TRUE(many.items.insert(key).has_value());
  flushed(few);
  flushed(many);
  few.items.edit(1001)->count = 5;
  many.items.edit(1001)->count = 5;
  auto of_few = flushed(few);
  auto of_many = flushed(many);
  for (auto* sent : {&of_few, &of_many}) {
    Bytes& bytes = (*sent)[Audience::own_client];
    ASSERT_GT(bytes.size(), 6u);
    bytes.erase(bytes.begin() + 2, bytes.begin() + 6);  // the lineage
  }
  EXPECT_EQ(of_few, of_many);
}

TEST(Fields, AnItemIsEncodedOncePerSightAndNoWider) {
  Hero hero;
  for (std::size_t i = 0; i < kAudiences; ++i) hero.watch(static_cast<Audience>(i));
  Item item;
  item.kind = 1;
  item.count = 2;
  item.glow = 3;
  item.price = 4;
  ASSERT_TRUE(hero.items.insert(7, item).has_value());
  auto sent = flushed(hero);
  EXPECT_FALSE(sent.contains(Audience::cache));
  // index 1 kind, 2 count, 3 glow, 5 marks, 6 gems
  const auto ends_with = [](const Bytes& bytes, const Bytes& end) {
    return bytes.size() > end.size() &&
           Bytes(bytes.end() - static_cast<std::ptrdiff_t>(end.size()), bytes.end()) == end;
  };
  const Bytes own = bytes_of({1, 2, 2, 4, 5, 0, 6, 0, 0});
  const Bytes others = bytes_of({1, 2, 3, 6, 5, 0, 6, 0, 0});
  EXPECT_TRUE(ends_with(sent[Audience::own_client], own));
  EXPECT_TRUE(ends_with(sent[Audience::save], own));
  EXPECT_TRUE(ends_with(sent[Audience::ghost], others));
  EXPECT_TRUE(ends_with(sent[Audience::other_clients], others));
}

TEST(Fields, AStructThatStandsAloneRecordsNothing) {
  Item item;
  item.count = 3;
  ASSERT_TRUE(item.gems.insert("a").has_value());
  item.gems.edit("a")->power = 2;
  const Item copy = item;
  item.gems.edit("a")->power = 5;
  EXPECT_EQ(copy.gems.find("a")->power, 2);
  Hero hero;
  hero.watch(Audience::own_client);
  Item* inside = *hero.items.insert(1, copy);
  hero.seal();
  const Item again = *inside;  // a copy of what is watched is not
  Item mine = again;
  mine.count = 77;
  EXPECT_EQ(hero.seal(), 0);
  inside->gems.edit("a")->power = 8;
  EXPECT_NE(hero.seal(), 0);
}

TEST(Fields, LifetimesEndOneInTheOther) {
  struct Life : Properties<Life> {
    Field<int, own_client | per_space> space{this, "space", 1};
    Field<int, own_client | per_process> process{this, "process", 1};
    Field<int, own_client | per_session> session{this, "session", 1};
    Field<int, own_client> plain{this, "plain", 1};
    Field<int, own_client | Flags::save> saved{this, "saved", 1};
    Field<Stats, own_client | Flags::save> stats{this, "stats"};
    void set_all() {
      space = 2, process = 2, session = 2, plain = 2, saved = 2;
      stats->strength = 2, stats->focus = 2;
    }
    std::vector<int> all() const {
      return {space, process, session, plain, saved, stats->strength, stats->focus};
    }
  };
  Life life;
  life.set_all();
  ASSERT_TRUE(life.reset(Lifetime::space).has_value());
  EXPECT_EQ(life.all(), (std::vector<int>{1, 2, 2, 2, 2, 2, 5}));
  life.set_all();
  ASSERT_TRUE(life.reset(Lifetime::process).has_value());
  EXPECT_EQ(life.all(), (std::vector<int>{1, 1, 2, 2, 2, 2, 5}));
  life.set_all();
  ASSERT_TRUE(life.reset(Lifetime::session).has_value());
  EXPECT_EQ(life.all(), (std::vector<int>{1, 1, 1, 1, 2, 2, 5}));

  life.set_all();  // a move: what does not travel has its default at the target
  Bytes bytes;
  ASSERT_TRUE(life.encode_snapshot(View::migration, bytes).has_value());
  Life target;
  ASSERT_TRUE(target.apply_snapshot(bytes).has_value());
  EXPECT_EQ(target.all(), (std::vector<int>{2, 1, 2, 2, 2, 2, 2}));
  Bytes saved;
  ASSERT_TRUE(life.encode_saved(View::save, saved).has_value());
  Life loaded;
  ASSERT_TRUE(loaded.load_saved(saved).has_value());
  EXPECT_EQ(loaded.all(), (std::vector<int>{1, 1, 1, 1, 2, 2, 5}));
}

}  // namespace
}  // namespace starbus::entity::test
