#include "mail/batch/batch_builder.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class BatchBuilderTest : public BatchTest {
 protected:
  void post(std::uint64_t seq, std::size_t bytes = 1) {
    queue_.add_post(stream(), seq, message(std::string(bytes, 'x')), false);
  }

  WaitingQueue queue_;
  BatchBuilder builder_{*mail_, queue_};
};

TEST_F(BatchBuilderTest, OneBatchHoldsMessageBoxStreamAndShard) {
  post(1);
  const MailBatch batch = builder_.build(queue_.take(), false);
  std::string kinds;
  batch.rows.for_each(
      [&](storage::Batch::Kind, std::string_view key, std::string_view) { kinds += key[0]; });
  EXPECT_EQ(kinds, "bmfrS");
}

TEST_F(BatchBuilderTest, ItemsWithoutRoomGoBackToTheQueue) {
  auto items = std::vector<BatchItem>();
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    post(seq, kBatchBytes);
    items.push_back(std::move(queue_.take().front()));
  }
  const MailBatch batch = builder_.build(std::move(items), false);
  EXPECT_LT(batch.items.size(), 4U);
  EXPECT_EQ(batch.items.size() + queue_.take_all().size(), 4U);
}

TEST_F(BatchBuilderTest, ARefusingBatchFitsTheReserve) {
  for (std::uint64_t seq = 1; seq <= 2 * kRefusedMessages; ++seq) post(seq);
  const MailBatch batch = builder_.build(queue_.take(), true);
  EXPECT_EQ(batch.items.size(), kRefusedMessages);
  EXPECT_TRUE(batch.rows.may_use_reserve());
  EXPECT_EQ(batch.counters.refused, kRefusedMessages);
  EXPECT_FALSE(queue_.empty());
}

}  // namespace
}  // namespace starbus::mail::test
