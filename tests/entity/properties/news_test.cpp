/// Who gathers what changed in many objects: told once, takes the news of each audience by itself.
#include <gmock/gmock.h>

#include "entity/properties/properties.hpp"

namespace starbus::entity {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Sheep : Properties<Sheep> {
  Field<int, own_client | Flags::save> wool{this, "wool"};
  Field<int, ghost> place{this, "place"};
  Field<int> thoughts{this, "thoughts"};
};
struct Shepherd final : ChangeListener {
  void changed(std::uint64_t tag) override { heard.push_back(tag); }
  void unsaved(std::uint64_t tag) override { unsaved_tags.push_back(tag); }
  std::vector<std::uint64_t> heard;
  std::vector<std::uint64_t> unsaved_tags;
};

TEST(News, AListenerIsCalledOnceUntilItListensAgain) {
  Shepherd shepherd;
  Sheep sheep;
  sheep.listen(&shepherd, 7);
  sheep.wool = 1;
  EXPECT_THAT(shepherd.heard, IsEmpty()) << "nobody watches";
  sheep.watch(Audience::ghost);
  sheep.wool = 2;
  sheep.thoughts = 2;
  EXPECT_THAT(shepherd.heard, IsEmpty()) << "nobody who watches sees it";
  sheep.place = 1;
  sheep.place = 2;
  EXPECT_THAT(shepherd.heard, ElementsAre(7));
  EXPECT_EQ(sheep.news(), bit_of(Audience::ghost));
  sheep.place = 3;
  EXPECT_THAT(shepherd.heard, ElementsAre(7)) << "it has not listened again";
  sheep.listen(&shepherd, 8);
  sheep.place = 4;
  EXPECT_THAT(shepherd.heard, ElementsAre(7, 8));
  sheep.listen(nullptr, 0);
  sheep.place = 5;
  EXPECT_THAT(shepherd.heard, ElementsAre(7, 8));
}

TEST(News, EachAudienceIsTakenByItself) {
  Sheep sheep;
  Sheep copy;
  copy.become_replica(Audience::ghost);
  sheep.watch(Audience::ghost);
  sheep.watch(Audience::save);
  Bytes bytes;
  ASSERT_TRUE(sheep.encode_snapshot(View::ghost, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  EXPECT_EQ(sheep.news(), 0);
  sheep.wool = 5;
  sheep.place = 6;
  EXPECT_EQ(sheep.news(), bit_of(Audience::ghost) | bit_of(Audience::save));
  sheep.drop_news(Audience::save);
  EXPECT_EQ(sheep.news(), bit_of(Audience::ghost));
  bytes.clear();
  ASSERT_TRUE(sheep.take_news(Audience::ghost, bytes));
  EXPECT_EQ(sheep.news(), 0);
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_EQ(copy.place, 6);
  // What was dropped is not told later either.
  std::size_t told = 0;
  ASSERT_TRUE(sheep.flush([&](Audience, ByteView) { ++told; }));
  EXPECT_EQ(told, 0U);
}

TEST(News, OfAGhostAreForThoseItServes) {
  Shepherd shepherd;
  struct Flock : Properties<Flock> {
    Field<int, other_clients> size{this, "size"};
  } real, copy;
  real.watch(Audience::ghost);
  copy.become_replica(Audience::ghost);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::ghost, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  copy.watch(Audience::other_clients);
  copy.listen(&shepherd, 3);
  real.size = 4;
  bytes.clear();
  ASSERT_EQ(real.news(), bit_of(Audience::ghost));
  ASSERT_TRUE(real.take_news(Audience::ghost, bytes));
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_THAT(shepherd.heard, ElementsAre(3));
  EXPECT_EQ(copy.news(), bit_of(Audience::other_clients));
}

TEST(News, AStateThatWasReplacedIsNews) {
  Shepherd shepherd;
  Sheep sheep;
  Bytes saved;
  ASSERT_TRUE(sheep.encode_saved(View::save, saved));
  sheep.watch(Audience::own_client);
  sheep.listen(&shepherd, 9);
  ASSERT_TRUE(sheep.load_saved(saved));
  EXPECT_THAT(shepherd.heard, ElementsAre(9));
  EXPECT_EQ(sheep.news(), bit_of(Audience::own_client));
  Bytes news;
  ASSERT_TRUE(sheep.take_news(Audience::own_client, news));
  EXPECT_EQ(news.front(), std::byte{0xa2}) << "a snapshot";
}

TEST(Unsaved, FirstWriteAfterASaveIsToldOnceAndNothingIsRecorded) {
  Shepherd shepherd;
  Sheep sheep;
  sheep.listen(&shepherd, 7);
  sheep.wool = 1;
  EXPECT_THAT(shepherd.unsaved_tags, IsEmpty()) << "nobody has saved it";
  sheep.await_unsaved();
  sheep.wool = 1;
  sheep.place = 3;
  sheep.thoughts = 3;
  EXPECT_THAT(shepherd.unsaved_tags, IsEmpty()) << "no saved field has changed";
  sheep.wool = 2;
  sheep.wool = 3;
  EXPECT_THAT(shepherd.unsaved_tags, ElementsAre(7));
  EXPECT_EQ(sheep.attention(), 0) << "a write is a plain store again";
  EXPECT_EQ(sheep.memory(), 0U);
  EXPECT_EQ(sheep.watchers(), 0);
  EXPECT_THAT(shepherd.heard, IsEmpty());
  sheep.await_unsaved();
  EXPECT_FALSE(sheep.watched(Audience::save));
  Bytes saved;
  ASSERT_TRUE(sheep.encode_saved(View::save, saved));
  ASSERT_TRUE(sheep.load_saved(saved));
  EXPECT_THAT(shepherd.unsaved_tags, ElementsAre(7, 7)) << "its state was replaced";
}

TEST(Unsaved, WritesOfSavedFieldsTakeNoHistoryFromWatchers) {
  struct Ewe : Properties<Ewe> {
    Field<int, own_client> wool{this, "wool"};
    Field<int, Flags::save> steps{this, "steps"};
    Field<int, own_client | Flags::save> lambs{this, "lambs"};
  } ewe;
  Shepherd shepherd;
  ewe.watch(Audience::own_client);
  const Version before = ewe.version(Audience::own_client);
  ewe.wool = 1;
  ewe.seal();
  for (int i = 1; i <= 1'000; ++i) {
    ewe.listen(&shepherd, 7);
    ewe.await_unsaved();
    ewe.steps = i;
    ewe.seal();
  }
  EXPECT_EQ(shepherd.unsaved_tags.size(), 1'000U);
  EXPECT_THAT(shepherd.heard, IsEmpty()) << "no watcher sees them";
  ewe.await_unsaved();
  ewe.lambs = 2;
  EXPECT_EQ(shepherd.unsaved_tags.size(), 1'001U);
  EXPECT_THAT(shepherd.heard, ElementsAre(7));
  ewe.seal();
  Bytes delta;
  EXPECT_TRUE(ewe.encode_delta(Audience::own_client, before, delta)) << "the history is kept";
}

// Several audiences see different parts of an item, so its insertion is several changes.
TEST(Unsaved, InsertionThatIsSeveralChangesIsToldOnce) {
  struct Item : Struct<Item> {
    Field<int, own_client> price{this, "price"};
    Field<int, Flags::save> age{this, "age"};
    Field<int> kind{this, "kind"};
  };
  struct Shed : Properties<Shed> {
    Bag<Item, own_client | Flags::save> items{this, "items", 10};
  } shed, copy;
  Shepherd shepherd;
  shed.listen(&shepherd, 4);
  shed.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(shed.encode_snapshot(View::own_client, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  shed.await_unsaved();
  ASSERT_TRUE(shed.items.insert(1));
  EXPECT_THAT(shepherd.unsaved_tags, ElementsAre(4));
  bytes.clear();
  ASSERT_EQ(shed.news(), bit_of(Audience::own_client));
  ASSERT_TRUE(shed.take_news(Audience::own_client, bytes));
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_EQ(copy.items.size(), 1U);
  // With a watcher of its own that audience is recorded as ever.
  shed.watch(Audience::save);
  shed.await_unsaved();
  ASSERT_TRUE(shed.items.insert(2));
  EXPECT_THAT(shepherd.unsaved_tags, ElementsAre(4, 4));
  EXPECT_EQ(shed.news(), bit_of(Audience::own_client) | bit_of(Audience::save));
  shed.unwatch(Audience::save);
  EXPECT_FALSE(shed.watched(Audience::save));
}

}  // namespace
}  // namespace starbus::entity
