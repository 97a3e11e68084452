#include "mail/open_shards.hpp"

#include "tests/mail/filled_store.hpp"

namespace starbus::mail::test {
namespace {

constexpr const char* kOpenedBox = "player/1";
const Lineage kLife = Epoch::of(1, 5);  // that of FilledStore

class OpenShardsTest : public testing::Test {
 protected:
  OpenShardsTest() { store_.fill(kOpenedBox, 0, 3); }
  static std::uint8_t shard() { return place_of(kOpenedBox).shard; }
  ShardRow stored() { return *decode_shard(**store_.store().get(shard_key(shard()))); }
  void write(ShardChanges& changes) {
    storage::Batch batch;
    shards_.write(changes, batch);
    if (batch.empty()) return;
    ASSERT_TRUE(commit(store_.store(), std::move(batch)));
  }

  FilledStore store_;
  OpenShards shards_{store_.store()};
};

TEST_F(OpenShardsTest, TheSameLineageIsNotedAlready) {
  ASSERT_TRUE(shards_.open(shard(), kLife, 7));
  EXPECT_FALSE(shards_.has_unnoted());
  EXPECT_EQ(shards_.totals().messages, 3U);
  EXPECT_EQ(shards_.noted(), (std::set<Sweeper::Shard>{{shard(), 7}}));
  ShardChanges none;
  write(none);
  EXPECT_EQ(stored().lineage, kLife);
}

TEST_F(OpenShardsTest, AnotherLineageIsPutOnTheDisk) {
  ASSERT_TRUE(shards_.open(shard(), Epoch::of(2, 1), 7));
  EXPECT_TRUE(shards_.has_unnoted());
  EXPECT_TRUE(shards_.noted().empty());
  ShardChanges changes;
  write(changes);
  EXPECT_EQ(changes.noted, (std::vector<std::uint8_t>{shard()}));
  EXPECT_EQ(stored().lineage, Epoch::of(2, 1));
}

TEST_F(OpenShardsTest, TotalsChangeWhenTheBatchIsDurable) {
  OpenShard& open = **shards_.open(shard(), kLife, 7);
  ShardChanges changes;
  changes.totals_of(open).messages = 9;
  write(changes);
  EXPECT_EQ(shards_.totals().messages, 3U);
  shards_.keep(changes);
  EXPECT_EQ(shards_.totals().messages, 9U);
  EXPECT_EQ(stored().totals.messages, 9U);
}

TEST_F(OpenShardsTest, AClosedShardIsForgotten) {
  ShardChanges changes;
  changes.totals_of(**shards_.open(shard(), kLife, 7)).messages = 9;
  EXPECT_TRUE(shards_.close(shard()));
  EXPECT_FALSE(shards_.close(shard()));
  EXPECT_EQ(shards_.at(shard()), nullptr);
  shards_.keep(changes);  // ignored
  EXPECT_EQ(shards_.totals().messages, 0U);
}

}  // namespace
}  // namespace starbus::mail::test
