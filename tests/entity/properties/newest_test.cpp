/// What has changed since a version: when each part has changed last, and that an observer which
/// comes seldom gets no more than that.
#include <gtest/gtest.h>

#include <map>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

Bytes address(std::initializer_list<int> bytes) {
  Bytes made;
  for (const int each : bytes) made.push_back(static_cast<std::byte>(each));
  return made;
}

std::vector<std::string> changed(const Stamps& stamps, std::uint64_t since) {
  std::vector<std::string> all;
  stamps.since(since, [&](const Stamps::Changed& part) {
    std::string text;
    for (const std::byte each : part.address) {
      text += (text.empty() ? "" : ".") + std::to_string(std::to_integer<int>(each));
    }
    all.push_back(text);
  });
  return all;
}
using Names = std::vector<std::string>;

TEST(StampsOfParts, SayWhatHasChangedSinceAndNothingWithinItTwice) {
  Stamps stamps(9);
  stamps.clear(100);
  EXPECT_FALSE(stamps.takes(100));
  EXPECT_TRUE(changed(stamps, 100).empty());
  stamps.note(PartKind::whole, 1, address({3}), 101);
  stamps.note(PartKind::element, 1, address({5, 8}), 102);
  stamps.note(PartKind::whole, 2, address({5, 8, 1}), 103);
  stamps.note(PartKind::whole, 2, address({5, 9, 1}), 103);
  EXPECT_EQ(changed(stamps, 100), (Names{"3", "5.8", "5.9.1"}));
  EXPECT_EQ(changed(stamps, 102), (Names{"5.8.1", "5.9.1"}));
  EXPECT_EQ(stamps.last(5), 103U);
  EXPECT_EQ(stamps.last(3), 101U);
  EXPECT_EQ(stamps.last(4), 100U);
  stamps.note(PartKind::element, 1, address({5, 9}), 104);
  EXPECT_EQ(changed(stamps, 103), (Names{"5.9"}));
  stamps.note(PartKind::whole, 1, address({5}), 105);
  EXPECT_EQ(changed(stamps, 102), (Names{"5"}));
  EXPECT_EQ(stamps.parts(), 0U);
}

TEST(StampsOfParts, AreBoundedAndThenTellMoreAndNeverLess) {
  Stamps stamps(2);
  stamps.clear(0);
  std::map<Bytes, std::uint64_t> model;
  for (std::uint64_t stamp = 1; stamp <= 5'000; ++stamp) {
    Bytes name = address({2, static_cast<int>(stamp * 7 % 250), static_cast<int>(stamp % 9)});
    stamps.note(PartKind::element, 1, name, stamp);
    model[name] = stamp;
    ASSERT_LE(stamps.parts(), kStampedParts);
    if (stamp % 50 != 0) continue;
    for (const std::uint64_t since : {stamp - 1, stamp - 10, stamp - 40}) {
      const Names told = changed(stamps, since);
      if (told == Names{"2"}) continue;  // all of it
      std::size_t expected = 0;
      for (const auto& [each, changed_at] : model) expected += changed_at > since ? 1 : 0;
      ASSERT_EQ(told.size(), expected);
    }
    ASSERT_EQ(changed(stamps, stamp - 1).size(), 1U) << "the newest are kept apart";
  }
  EXPECT_LT(stamps.memory(), 2 * kStampedBytes);
}

TEST(Newest, CostsWhatHasChangedAlsoWithinLargeContainers) {
  struct Box : Struct<Box> {
    Field<std::string> label{this, "label"};
    Field<int> count{this, "count"};
  };
  struct Store : Properties<Store> {
    Map<int, std::string, own_client> prices{this, "prices"};
    Bag<Box, own_client> boxes{this, "boxes", 300};
    List<int, own_client> marks{this, "marks"};
  } real, copy;
  for (int i = 0; i < 200; ++i) {
    (void)real.prices.put(i, std::string(50, 'p'));
    Box box;
    box.label = std::string(50, 'b');
    (void)real.boxes.insert(i, box);
    (void)real.marks.push_back(i);
  }
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  EXPECT_GT(bytes.size(), 20'000U);
  const auto expect_catch_up_within = [&](std::size_t size) {
    real.seal();
    bytes.clear();
    ASSERT_TRUE(real.encode_delta(Audience::own_client, copy.version(Audience::own_client), bytes));
    EXPECT_LE(bytes.size(), size);
    ASSERT_TRUE(copy.apply_delta(bytes));
    ASSERT_EQ(copy.to_json(), real.to_json());
  };
  for (int i = 0; i < 50; ++i) {
    (void)real.prices.put(7, std::to_string(i));
    real.boxes.edit(9)->count = i;
    (void)real.marks.set_at(11, i);
    real.seal();
  }
  expect_catch_up_within(32);
  (void)real.prices.erase(7);
  real.seal();
  (void)real.boxes.erase(9);
  real.seal();
  (void)real.boxes.move(20, 25);  // which is taken: two change places
  real.seal();
  (void)real.boxes.insert(1'000);
  expect_catch_up_within(64);
}

// All slots are taken before and after: what is gone makes room, whatever the order of keys is.
TEST(Newest, AFullBagIsCaughtUpWith) {
  Hero real;
  Hero copy;
  real.watch(Audience::ghost);
  copy.become_replica(Audience::ghost);
  for (const int key : {4, 5, 6, 7}) (void)real.items.insert(key);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::ghost, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  (void)real.items.erase(7);
  real.seal();
  (void)real.items.insert(1);
  real.seal();
  (void)real.items.move(1, 0);
  (void)real.items.move(5, 3);
  real.seal();
  bytes.clear();
  ASSERT_TRUE(real.encode_delta(Audience::ghost, copy.version(Audience::ghost), bytes));
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_EQ(copy.to_json(), real.to_json());
}

TEST(Newest, ObserversHearWhatIsDifferent) {
  Hero real;
  Hero copy;
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  std::vector<std::string> heard;
  for (const char* path : {"gold", "nick", "items"}) {
    ASSERT_TRUE(copy.observe(path, [&](const Change& change) {
      heard.push_back(change.path + " " + std::string(name_of(change.cause)));
    }));
  }
  for (int i = 0; i < 3; ++i) {
    real.gold += 1;
    (void)real.items.insert(i);
    real.seal();
  }
  bytes.clear();
  ASSERT_TRUE(real.encode_delta(Audience::own_client, copy.version(Audience::own_client), bytes));
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_EQ(heard, (std::vector<std::string>{"gold snapshot", "items snapshot", "items snapshot",
                                             "items snapshot"}));
}

/// One field of it does not travel.
struct Pilgrim : Properties<Pilgrim> {
  Field<std::string, all_clients> nick{this, "nick"};
  Field<int, own_client> gold{this, "gold"};
  Field<int, own_client | per_process> focus{this, "focus", 5};
};

TEST(Newest, IsKnownAfterAMoveToo) {
  Pilgrim real;
  Pilgrim copy;
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  const Version had = copy.version(Audience::own_client);
  real.nick = std::string(300, 'n');
  real.seal();
  const Version between = real.version(Audience::own_client);
  for (int i = 0; i < 20; ++i) {
    real.gold = i;
    real.focus = 40 + i;  // does not travel
    real.seal();
  }
  Bytes packed;
  ASSERT_TRUE(real.encode_snapshot(View::migration, packed));
  Pilgrim there;
  ASSERT_TRUE(there.apply_snapshot(packed));
  EXPECT_EQ(there.news(), 0);
  ASSERT_TRUE(there.tell_what_stayed_behind());
  EXPECT_EQ(there.news(), bit_of(Audience::own_client)) << "the focus, and nothing else";
  bytes.clear();
  ASSERT_TRUE(there.take_news(Audience::own_client, bytes));
  EXPECT_LT(bytes.size(), 24U);
  bytes.clear();
  ASSERT_TRUE(there.encode_delta(Audience::own_client, between, bytes));
  EXPECT_LT(bytes.size(), 24U) << "without the name";
  bytes.clear();
  ASSERT_TRUE(there.encode_delta(Audience::own_client, had, bytes));
  ASSERT_TRUE(copy.apply_delta(bytes));
  EXPECT_EQ(copy.gold, 19);
  EXPECT_EQ(copy.focus, 5);
  EXPECT_EQ(copy.nick, real.nick.get());
  EXPECT_EQ(copy.version(Audience::own_client), there.version(Audience::own_client));
}

}  // namespace
}  // namespace starbus::entity::test
