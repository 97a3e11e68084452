/// Versions, history, gaps, replicas, and what is done to them with bad bytes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

class Replica : public testing::Test {
 protected:
  Replica() {
    real_.watch(Audience::own_client);
    copy_.become_replica(Audience::own_client);
    snapshot();
  }
  void snapshot() {
    Bytes bytes;
    ASSERT_TRUE(real_.encode_snapshot(View::own_client, bytes).has_value());
    ASSERT_TRUE(copy_.apply_snapshot(bytes).has_value());
  }
  DataResult<> catch_up() {
    Bytes bytes;
    const auto delta = real_.encode_delta(Audience::own_client, version(copy_), bytes);
    return delta ? copy_.apply_delta(bytes) : delta;
  }
  static Version version(const Hero& hero) { return hero.version(Audience::own_client); }

  Hero real_;
  Hero copy_;
};

TEST_F(Replica, RefusesToBeWritten) {
  EXPECT_THROW(copy_.gold = 1, BadData);
  EXPECT_THROW(copy_.hidden = 1, BadData);
  EXPECT_EQ(copy_.gold.set(1).error(), DataErrc::replica);
  EXPECT_EQ(copy_.stats->strength.set(1).error(), DataErrc::replica);
  EXPECT_EQ(copy_.marks.push_back(1).error(), DataErrc::replica);
  EXPECT_EQ(copy_.marks.clear().error(), DataErrc::replica);
  EXPECT_EQ(copy_.prices.put("a", 1).error(), DataErrc::replica);
  EXPECT_EQ(copy_.items.insert(1).error(), DataErrc::replica);
  EXPECT_EQ(copy_.items.clear().error(), DataErrc::replica);
  EXPECT_EQ(copy_.set("gold", 5).error(), DataErrc::replica);
  EXPECT_EQ(copy_.reset(Lifetime::session).error(), DataErrc::replica);
  EXPECT_EQ(copy_.load_saved({}).error(), DataErrc::replica);
  EXPECT_EQ(copy_.to_json(), Hero().to_json());
  copy_.become_real();
  copy_.gold = 1;
  EXPECT_EQ(copy_.gold, 1);
}

TEST_F(Replica, TakesChangesOnlyInOrder) {
  real_.gold = 1;
  real_.seal();
  Bytes first;
  const Version begin = version(copy_);
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, begin, first).has_value());
  const Version middle = version(real_);
  real_.gold = 2;
  real_.seal();
  Bytes second;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, middle, second).has_value());
  EXPECT_EQ(copy_.apply_delta(second).error(), DataErrc::gap);
  EXPECT_EQ(copy_.gold, 100);
  ASSERT_TRUE(copy_.apply_delta(first).has_value());
  ASSERT_TRUE(copy_.apply_delta(first).has_value());
  EXPECT_EQ(copy_.gold, 1);
  Bytes both;  // overlaps with what it has
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, begin, both).has_value());
  ASSERT_TRUE(copy_.apply_delta(both).has_value());
  EXPECT_EQ(copy_.gold, 2);
  EXPECT_EQ(version(copy_), version(real_));
}

TEST_F(Replica, NeedsASnapshotFirst) {
  Hero fresh;
  fresh.become_replica(Audience::own_client);
  real_.gold = 1;
  real_.seal();
  Bytes bytes;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, version(copy_), bytes).has_value());
  EXPECT_EQ(fresh.apply_delta(bytes).error(), DataErrc::gap);
  EXPECT_EQ(real_.apply_delta(bytes).error(), DataErrc::not_replica);
  EXPECT_EQ(real_.apply_snapshot(bytes).error(), DataErrc::malformed);
}

TEST_F(Replica, OfAnotherAudienceOrSchemaIsRefused) {
  Hero near;
  near.become_replica(Audience::ghost);
  Bytes bytes;
  ASSERT_TRUE(real_.encode_snapshot(View::own_client, bytes).has_value());
  EXPECT_EQ(near.apply_snapshot(bytes).error(), DataErrc::wrong_audience);
  struct Other : Properties<Other> {
    Field<int, own_client> gold{this, "gold"};
  } other;
  other.become_replica(Audience::own_client);
  EXPECT_EQ(other.apply_snapshot(bytes).error(), DataErrc::schema_mismatch);
  Bytes moved;
  ASSERT_TRUE(real_.encode_snapshot(View::migration, moved).has_value());
  EXPECT_EQ(copy_.apply_snapshot(moved).error(), DataErrc::replica);
  EXPECT_THROW(copy_.watch(Audience::other_clients), BadData);
}

TEST_F(Replica, ThatLagsGetsTheNewestValuesOfWhatHasChanged) {
  const Version begin = version(copy_);
  for (int i = 0; i < 10; ++i) {
    real_.gold = i;
    real_.seal();
  }
  ASSERT_TRUE(catch_up().has_value());
  EXPECT_EQ(copy_.gold, 9);
  (void)real_.marks.push_back(7);
  for (int i = 0; i < 1000; ++i) {
    real_.gold = i;
    real_.seal();
  }
  EXPECT_LT(real_.memory(), sizeof(Journal) + 2 * kHistoryBytes + 256);
  Bytes bytes;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, begin, bytes).has_value());
  EXPECT_LT(bytes.size(), 24U) << "two values, each once";
  ASSERT_TRUE(catch_up().has_value());
  EXPECT_EQ(copy_.gold, 999);
  EXPECT_EQ(copy_.marks.get(), real_.marks.get());
  EXPECT_EQ(version(copy_), version(real_));
  ASSERT_TRUE(copy_.apply_delta(bytes).has_value()) << "which it has";
  Version later = version(real_);
  ++later.stamp;
  bytes.clear();
  EXPECT_EQ(real_.encode_delta(Audience::own_client, later, bytes).error(), DataErrc::history_lost);
  EXPECT_TRUE(bytes.empty());
  real_.nick = std::string(10'000, 'x');  // the last tick is kept, however large
  real_.seal();
  ASSERT_TRUE(catch_up().has_value());
  EXPECT_EQ(copy_.nick, real_.nick.get());
}

TEST_F(Replica, AnUnwatchedAudienceBeginsAgain) {
  const Version before = version(copy_);
  real_.unwatch(Audience::own_client);
  real_.gold = 3;
  real_.watch(Audience::own_client);
  EXPECT_GT(version(real_).stamp, before.stamp);
  EXPECT_EQ(version(real_).lineage, before.lineage);
  EXPECT_EQ(catch_up().error(), DataErrc::history_lost);
}

TEST_F(Replica, TrimmingDoesNotHideMissedChanges) {
  const auto tick = [this](char text) {
    real_.nick = std::string(20, text);
    real_.seal();
  };
  for (char text = 'a'; text < 'e'; ++text) tick(text);
  ASSERT_TRUE(catch_up().has_value());
  for (char text = 'e'; text < 'i'; ++text) tick(text);  // what is trimmed below it has not seen
  real_.unwatch(Audience::own_client);
  real_.gold = 3;
  real_.watch(Audience::own_client);
  for (int i = 0; i < 20; ++i) {
    tick(static_cast<char>('a' + i));
    EXPECT_EQ(catch_up().error(), DataErrc::history_lost) << i;
  }
}

TEST_F(Replica, SupersededChangesOfATickAreSentOnce) {
  for (int i = 0; i < 5; ++i) real_.gold = i;
  real_.seal();
  Bytes five;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, version(copy_), five).has_value());
  ASSERT_TRUE(copy_.apply_delta(five).has_value());
  real_.gold = 77;
  real_.seal();
  Bytes one;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, version(copy_), one).has_value());
  EXPECT_EQ(five.size(), one.size() - 1);  // 4 and 77: a varint of one byte, and of two
}

TEST_F(Replica, AnEndlessTickEndsInASnapshot) {
  std::vector<int> large(20'000, 1);
  for (int i = 0; i < 100; ++i) {
    large[0] = i;
    real_.marks = large;  // each supersedes the one before
  }
  real_.seal();
  ASSERT_TRUE(catch_up().has_value());
  EXPECT_EQ(copy_.marks.get(), large);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(real_.marks.set_at(0, 1000 + i).has_value());  // these do not
  }
  EXPECT_LT(real_.memory(), 3 * kPendingBytes);
  bool sent = false;
  ASSERT_TRUE(real_
                  .flush([&](Audience, ByteView bytes) {
                    sent = true;
                    EXPECT_TRUE(copy_.apply_snapshot(bytes).has_value());
                  })
                  .has_value());
  EXPECT_TRUE(sent);
  EXPECT_EQ(copy_.marks[0], 100'999);
  real_.gold = 1;
  real_.seal();
  ASSERT_TRUE(catch_up().has_value());
  EXPECT_EQ(copy_.gold, 1);
}

TEST(LatestOnly, KeepsOneChangeForLateWatchers) {
  Hero real;
  Hero copy;
  real.watch(Audience::other_clients);
  copy.become_replica(Audience::other_clients);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::other_clients, bytes).has_value());
  ASSERT_TRUE(copy.apply_snapshot(bytes).has_value());
  for (int i = 1; i <= 500; ++i) {  // far more than the history holds of others
    real.mood = i;
    real.seal();
  }
  bytes.clear();
  ASSERT_TRUE(
      real.encode_delta(Audience::other_clients, copy.version(Audience::other_clients), bytes)
          .has_value());
  EXPECT_LT(bytes.size(), 20u);
  ASSERT_TRUE(copy.apply_delta(bytes).has_value());
  EXPECT_EQ(copy.mood, 500);
  EXPECT_EQ(copy.version(Audience::other_clients), real.version(Audience::other_clients));
}

// A delta of many groups, each within bounds, of changes of a few bytes that cost hundreds each.
TEST_F(Replica, AllGroupsOfADeltaShareOneBudget) {
  const auto change_of = [this](auto&& write) {
    const Version before = version(copy_);
    write();
    real_.seal();
    Bytes delta;
    EXPECT_TRUE(real_.encode_delta(Audience::own_client, before, delta).has_value());
    EXPECT_TRUE(copy_.apply_delta(delta).has_value());
    Decoder in(delta);
    in.take(6);                                     // form, audience, lineage
    for (int i = 0; i < 3; ++i) (void)in.varint();  // from, more, step
    const ByteView change = in.take(static_cast<std::size_t>(in.varint()));
    return Bytes(change.begin(), change.end());
  };
  Bytes pair = change_of([this] { (void)real_.marks.push_back(1); });
  const Bytes pop = change_of([this] { (void)real_.marks.pop_back(); });
  pair.insert(pair.end(), pop.begin(), pop.end());
  const auto delta_of = [&](std::uint64_t groups) {
    Bytes head;
    EXPECT_TRUE(real_.encode_delta(Audience::own_client, version(copy_), head).has_value());
    head.resize(6);
    Encoder out(head);
    out.varint(version(copy_).stamp);
    out.varint(groups);
    constexpr std::size_t kPairs = 1'000;
    for (std::uint64_t group = 0; group < groups; ++group) {
      out.varint(1);
      out.varint(kPairs * pair.size());
      for (std::size_t i = 0; i < kPairs; ++i) out.raw(pair.data(), pair.size());
    }
    return head;
  };
  const auto before = copy_.to_json();
  EXPECT_EQ(copy_.apply_delta(delta_of(200)).error(), DataErrc::too_large);
  EXPECT_EQ(copy_.to_json(), before);
  EXPECT_TRUE(copy_.apply_delta(delta_of(50)).has_value());
  EXPECT_EQ(copy_.to_json(), before);
}

TEST(ReplicaHostile, AnyBytesAreTakenWholeOrNotAtAll) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& raw) {
    Hero copy;
    copy.become_replica(Audience::own_client);
    Hero real;
    real.watch(Audience::own_client);
    (void)real.items.insert(1);
    (void)real.marks.push_back(1);
    Bytes bytes;
    RC_ASSERT(real.encode_snapshot(View::own_client, bytes).has_value());
    RC_ASSERT(copy.apply_snapshot(bytes).has_value());
    const std::string before = copy.to_json().dump();
    // Behind a good header, so that what follows is reached.
    const Version version = copy.version(Audience::own_client);
    std::byte lineage[sizeof version.lineage];
    bus::store(lineage, version.lineage);
    Bytes delta;
    Encoder out(delta);
    out.byte(0xd2);
    out.byte(2);
    out.raw(lineage, sizeof lineage);
    out.varint(version.stamp);
    out.varint(1);
    out.varint(1);
    out.varint(raw.size());
    const ByteView rest = std::as_bytes(std::span(raw));
    out.raw(rest.data(), rest.size());
    if (!copy.apply_delta(delta)) RC_ASSERT(copy.to_json().dump() == before);
    RC_ASSERT(!copy.apply_snapshot(std::as_bytes(std::span(raw))).has_value());
  }));
}

}  // namespace
}  // namespace starbus::entity::test
