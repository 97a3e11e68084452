#include "mail/batch/batch_erasing.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class BatchErasingTest : public BatchTest {
 protected:
  /// What a purge up to this number reports once its batch is durable.
  Result<std::uint64_t> purge(const ChannelId& of, std::uint64_t upto) {
    Result<std::uint64_t> purged = Errc::busy;
    erasing_.add(WaitingPurge{of, upto, [&](Result<std::uint64_t> count) { purged = count; }},
                 batch_);
    for (const auto& then : std::exchange(batch_.then, {})) then();
    return purged;
  }

  BatchBoxes boxes_{*mail_};
  BatchErasing erasing_{*mail_, boxes_};
};

TEST_F(BatchErasingTest, APurgeErasesDurableMessagesAndCountsThem) {
  EXPECT_EQ(purge(box(), 3).value(), 3U);
  EXPECT_EQ(purge(box(), 100).value(), kLast - 3);
  EXPECT_EQ(batch_.counters.purged, kLast);
  EXPECT_EQ(batch_.counters.settled, 0U);
}

TEST_F(BatchErasingTest, APurgeOfAMissingShardHasNoOwner) {
  ASSERT_TRUE(mail_->shards.close(shard()));
  EXPECT_EQ(purge(box(), 3).error(), Errc::no_owner);
}

TEST_F(BatchErasingTest, AgedMessagesOfAMailboxAreBuried) {
  Sweeper::Found found;
  found.boxes.push_back({shard(), box(), 2});
  erasing_.add(found, batch_);
  EXPECT_EQ(batch_.counters.aged, 2U);
  EXPECT_EQ(batch_.counters.dead_letters, 2U);
  EXPECT_EQ(row().floor, 2U);
}

TEST_F(BatchErasingTest, AKeyStoredAgainInThisBatchStays) {
  const std::string key = post_key(shard(), box(), "key");
  batch_.keys[key] = {1, shell_.now_ms};
  Sweeper::Found found;
  found.keys.push_back(key);
  erasing_.add(found, batch_);
  EXPECT_TRUE(batch_.rows.empty());
}

}  // namespace
}  // namespace starbus::mail::test
