/// Two lives of one entity, or two declarations of it: their versions are the same numbers, and say
/// nothing of one another.
#include <gtest/gtest.h>

#include <unordered_set>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

constexpr std::byte kSnapshot{0xa2};

/// As Hero in another build: the same numbers are other fields.
struct OtherHero : Properties<OtherHero> {
  Field<std::int64_t, own_client | save> debt{this, "debt"};
  Field<std::int64_t, own_client | save> gold{this, "gold", 100};
};

Bytes snapshot_of(Root& root, View view) {
  Bytes bytes;
  EXPECT_TRUE(root.encode_snapshot(view, bytes).has_value());
  return bytes;
}
Bytes delta_of(const Root& root, Audience audience, const Version& since) {
  Bytes bytes;
  EXPECT_TRUE(root.encode_delta(audience, since, bytes).has_value());
  return bytes;
}

class Lineage : public testing::Test {
 protected:
  Lineage() {
    real_.watch(Audience::own_client);
    copy_.become_replica(Audience::own_client);
    run_to(real_, 50);
    EXPECT_TRUE(copy_.apply_snapshot(snapshot_of(real_, View::own_client)).has_value());
  }
  static Version version(const Root& root) { return root.version(Audience::own_client); }
  template <class Real>
  static void run_to(Real& real, std::uint64_t stamp) {
    while (version(real).stamp < stamp) {
      real.gold += 1;
      real.seal();
    }
  }
  // Loaded anew, by whatever declares the gold.
  template <class Real>
  static void load(Real& real, const Root& from, View view = View::save) {
    Bytes saved;
    ASSERT_TRUE(from.encode_saved(view, saved).has_value());
    ASSERT_TRUE(real.load_saved(saved).has_value());
    real.watch(Audience::own_client);
  }
  template <class Real>
  void expect_nothing_is_taken_of(Real& other) {
    const std::string before = copy_.to_json().dump();
    const Version had = version(copy_);
    while (version(other).stamp < 60) {
      const Version since = version(other);
      run_to(other, since.stamp + 1);
      EXPECT_EQ(copy_.apply_delta(delta_of(other, Audience::own_client, since)).error(),
                DataErrc::gap)
          << since.stamp;
      ASSERT_EQ(copy_.to_json().dump(), before) << since.stamp;
      ASSERT_EQ(version(copy_), had);
    }
  }

  Hero real_;
  Hero copy_;
};

TEST_F(Lineage, ADeltaOfAnotherLifeIsAGap) {
  Hero again;
  load(again, real_);
  EXPECT_LT(version(again).stamp, 50U);
  expect_nothing_is_taken_of(again);
}

TEST_F(Lineage, ADeltaOfAnotherSchemaIsAGap) {
  OtherHero again;
  load(again, real_);
  EXPECT_EQ(again.gold, real_.gold);
  expect_nothing_is_taken_of(again);
}

TEST_F(Lineage, TheSourceRefusesAVersionOfAnotherLife) {
  Hero again;
  load(again, real_);
  run_to(again, 60);
  Bytes bytes;
  for (const std::uint64_t stamp : {version(copy_).stamp, version(again).stamp}) {
    const Version foreign{version(copy_).lineage, stamp};
    EXPECT_EQ(again.encode_delta(Audience::own_client, foreign, bytes).error(),
              DataErrc::history_lost);
  }
  EXPECT_TRUE(bytes.empty());
  ASSERT_TRUE(copy_.apply_snapshot(snapshot_of(again, View::own_client)).has_value());
  EXPECT_EQ(version(copy_), version(again));
  const Version before = version(copy_);
  run_to(again, 61);
  ASSERT_TRUE(copy_.apply_delta(delta_of(again, Audience::own_client, before)).has_value());
  EXPECT_EQ(copy_.gold, again.gold);
  // Late bytes of the first life come too late.
  run_to(real_, 62);
  Version late = version(real_);
  --late.stamp;
  EXPECT_EQ(copy_.apply_delta(delta_of(real_, Audience::own_client, late)).error(), DataErrc::gap);
  EXPECT_EQ(copy_.gold, again.gold);
}

TEST_F(Lineage, TravelsByASnapshotAndNotByName) {
  Hero there;
  ASSERT_TRUE(there.apply_snapshot(snapshot_of(real_, View::migration)).has_value());
  EXPECT_EQ(version(there), version(real_));
  run_to(there, 51);
  ASSERT_TRUE(copy_.apply_delta(delta_of(there, Audience::own_client, version(copy_))).has_value());
  EXPECT_EQ(copy_.gold, there.gold);
  Hero named;
  load(named, there, View::migration);
  EXPECT_NE(version(named).lineage, version(there).lineage);
}

TEST_F(Lineage, BeginsWithTheFirstWatcher) {
  Hero unwatched;
  EXPECT_EQ(version(unwatched), Version{});
  const Bytes bytes = snapshot_of(unwatched, View::migration);
  Hero here;
  Hero there;
  for (Hero* each : {&here, &there}) {
    ASSERT_TRUE(each->apply_snapshot(bytes).has_value());
    each->watch(Audience::own_client);
    EXPECT_NE(version(*each).lineage, 0U);
  }
  EXPECT_NE(version(here).lineage, version(there).lineage);
}

TEST_F(Lineage, ACopyThatBecomesRealBeginsAnother) {
  const Version had = version(copy_);
  run_to(real_, 55);  // of which the copy knows nothing
  Hero client;
  client.become_replica(Audience::own_client);
  ASSERT_TRUE(client.apply_snapshot(snapshot_of(real_, View::own_client)).has_value());
  copy_.become_real();
  EXPECT_NE(version(copy_).lineage, had.lineage);
  copy_.watch(Audience::own_client);
  run_to(copy_, 60);
  Bytes bytes;
  EXPECT_EQ(copy_.encode_delta(Audience::own_client, version(client), bytes).error(),
            DataErrc::history_lost);
  Version before = version(copy_);
  before.stamp = 55;
  EXPECT_EQ(client.apply_delta(delta_of(copy_, Audience::own_client, before)).error(),
            DataErrc::gap);
}

TEST_F(Lineage, AnotherBeginsAfterARolledBackMove) {
  Hero there;
  ASSERT_TRUE(there.apply_snapshot(snapshot_of(real_, View::migration)).has_value());
  const Version since = version(there);
  run_to(there, 53);
  ASSERT_TRUE(copy_.apply_delta(delta_of(there, Audience::own_client, since)).has_value());
  real_.nick = "is not lost";
  real_.begin_anew();  // the move is rolled back
  EXPECT_NE(version(real_).lineage, since.lineage);
  ASSERT_EQ(real_.news(), bit_of(Audience::own_client));
  Bytes news;
  ASSERT_TRUE(real_.take_news(Audience::own_client, news).has_value());
  EXPECT_EQ(news.front(), kSnapshot);
  expect_nothing_is_taken_of(real_);
  ASSERT_TRUE(copy_.apply_snapshot(snapshot_of(real_, View::own_client)).has_value());
  EXPECT_EQ(copy_.nick, "is not lost");
}

class LineageOfAGhost : public testing::Test {
 protected:
  LineageOfAGhost() {
    real_.watch(Audience::ghost);
    near_.become_replica(Audience::ghost);
    EXPECT_TRUE(near_.apply_snapshot(snapshot_of(real_, View::ghost)).has_value());
    near_.watch(Audience::other_clients);
    EXPECT_EQ(near_.news(), 0);
  }
  Bytes news() {
    EXPECT_EQ(near_.news(), bit_of(Audience::other_clients));
    Bytes bytes;
    EXPECT_TRUE(near_.take_news(Audience::other_clients, bytes).has_value());
    EXPECT_EQ(near_.news(), 0);
    return bytes;
  }
  Hero real_;
  Hero near_;
};

TEST_F(LineageOfAGhost, AnotherLifeIsNewsForThoseItServes) {
  Hero again;
  again.watch(Audience::ghost);
  EXPECT_EQ(again.version(Audience::ghost).stamp, real_.version(Audience::ghost).stamp);
  ASSERT_TRUE(near_.apply_snapshot(snapshot_of(again, View::ghost)).has_value());
  EXPECT_EQ(news().front(), kSnapshot);
}

TEST_F(LineageOfAGhost, ASnapshotOfTheSameLifeIsNewsIfItShowsThemMore) {
  ASSERT_TRUE(near_.apply_snapshot(snapshot_of(real_, View::ghost)).has_value());
  EXPECT_EQ(near_.news(), 0) << "they have it";
  real_.mood = 4;
  ASSERT_TRUE(near_.apply_snapshot(snapshot_of(real_, View::ghost)).has_value());
  EXPECT_EQ(news().front(), kSnapshot);
}

TEST_F(LineageOfAGhost, ChangesOfASnapshotReachItsWatchers) {
  Hero far;
  far.become_replica(Audience::other_clients);
  ASSERT_TRUE(far.apply_snapshot(snapshot_of(near_, View::other_clients)).has_value());
  const auto tick = [this] {
    real_.mood = real_.mood + 1;
    real_.nick = real_.nick.get() + "x";
    real_.seal();
  };
  const auto catch_up = [&] {
    Bytes bytes;
    const Version has = far.version(Audience::other_clients);
    const auto delta = near_.encode_delta(Audience::other_clients, has, bytes);
    return delta ? far.apply_delta(bytes) : delta;
  };
  tick();
  ASSERT_TRUE(near_.apply_delta(delta_of(real_, Audience::ghost, near_.version(Audience::ghost)))
                  .has_value());
  ASSERT_TRUE(catch_up().has_value());
  tick();  // the ghost loses this one
  ASSERT_TRUE(near_.apply_snapshot(snapshot_of(real_, View::ghost)).has_value());
  real_.mood = 77;
  real_.seal();
  ASSERT_TRUE(near_.apply_delta(delta_of(real_, Audience::ghost, near_.version(Audience::ghost)))
                  .has_value());
  EXPECT_EQ(catch_up().error(), DataErrc::history_lost);
  ASSERT_TRUE(far.apply_snapshot(snapshot_of(near_, View::other_clients)).has_value());
  EXPECT_EQ(far.nick, real_.nick.get());
}

TEST_F(LineageOfAGhost, ThatBecomesRealTellsThoseItServesAll) {
  near_.become_real();
  EXPECT_EQ(news().front(), kSnapshot);
}

TEST(Lineages, AreNeverDrawnTwiceAndTellSchemasApart) {
  const std::uint64_t hash = Hero::schema_of().hash();
  Lineages lineages(0xfffffff0);  // it goes on behind the last number
  std::unordered_set<std::uint32_t> drawn{0};
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(drawn.insert(lineages.draw(hash)).second) << i;
  EXPECT_EQ(Lineages(7).draw(hash), Lineages(7).draw(hash));
  EXPECT_NE(Lineages(7).draw(hash), Lineages(8).draw(hash));
  EXPECT_NE(Lineages(7).draw(hash), Lineages(7).draw(OtherHero::schema_of().hash()));
  EXPECT_NE(Lineages::of_process().draw(hash), Lineages::of_process().draw(hash));
}

}  // namespace
}  // namespace starbus::entity::test
