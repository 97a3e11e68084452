#include "mail/shards/import_batches.hpp"

#include "mail/shards/shard_row.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail::test {
namespace {

constexpr const char* kImportedBox = "player/1";

class ImportBatchesTest : public testing::Test {
 protected:
  ImportBatchesTest() { store_.fill(kImportedBox, 0, 3); }
  void write(storage::Batch batch) { ASSERT_TRUE(commit(store_.store(), std::move(batch))); }
  PlaceRow place() { return *decode_place(**store_.store().get(place_key(attempt_.shard))); }
  bool has_box() {
    const ChannelId id = channel_id(kImportedBox);
    return store_.store().get(box_key(attempt_.shard, id))->has_value();
  }

  FilledStore store_;
  const ImportAttempt attempt_{place_of(kImportedBox).shard, 7, "b"};
};

TEST_F(ImportBatchesTest, TheMarkReplacesEarlierRows) {
  write(incoming_batch(attempt_));
  EXPECT_EQ(place(), (PlaceRow{Keeping::incoming, 7, "b"}));
  EXPECT_FALSE(has_box());
}

TEST_F(ImportBatchesTest, OnlyTheLastPageSaysThatTheShardHasArrived) {
  bus::ShardRows page;
  EXPECT_TRUE(page_batch(attempt_, page)->empty());
  page.last = true;
  page.messages = 4;
  write(*page_batch(attempt_, page));
  EXPECT_EQ(place().keeping, Keeping::arrived);
  EXPECT_EQ(read_shard_row(store_.store(), attempt_.shard)->totals.messages, 4U);
}

TEST_F(ImportBatchesTest, ARowOfAnotherShardIsNoPage) {
  const auto other = static_cast<std::uint8_t>(attempt_.shard + 1);
  const ByteView key = as_bytes("x");
  bus::ShardRows page;
  page.changes.push_back({bus::ShardChange::What::put, {key.begin(), key.end()}, {}});
  EXPECT_FALSE(page_batch(attempt_, page));
  const std::string box = box_key(other, channel_id(kImportedBox));
  const ByteView foreign = as_bytes(box);
  page.changes.front().key = {foreign.begin(), foreign.end()};
  EXPECT_FALSE(page_batch(attempt_, page));
}

TEST_F(ImportBatchesTest, DecisionsAreTakenByAFullDisk) {
  EXPECT_TRUE(kept_batch(attempt_).may_use_reserve());
  EXPECT_TRUE(elsewhere_batch(attempt_).may_use_reserve());
  write(elsewhere_batch(attempt_));
  EXPECT_EQ(place(), (PlaceRow{Keeping::elsewhere, 0, "b"}));
  EXPECT_FALSE(has_box());
}

}  // namespace
}  // namespace starbus::mail::test
