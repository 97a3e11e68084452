#include "mail/batch/batch_readers.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class BatchReadersTest : public BatchTest {
 protected:
  const Readers::Session* session(std::uint64_t token) const {
    return mail_->readers.find({kAlice, token});
  }
  void run_then() {
    for (const auto& then : std::exchange(batch_.then, {})) then();
  }

  BatchBoxes boxes_{*mail_};
  BatchReaders readers_{*mail_, boxes_};
};

TEST_F(BatchReadersTest, AReaderIsAnsweredAtOnceAndHeldUntilTheBatchIsDurable) {
  Opening one = opening(3);
  readers_.add(one, batch_);
  EXPECT_TRUE(one.told);
  EXPECT_EQ(shell_.heard[kAlice].size(), 1U);
  ASSERT_NE(session(3), nullptr);
  EXPECT_TRUE(session(3)->held);
  EXPECT_EQ(row().reader, kLife);
  run_then();
  EXPECT_FALSE(session(3)->held);
}

TEST_F(BatchReadersTest, AnEarlierOwnerIsRefused) {
  Opening later = opening(3, Epoch::of(2, 1));
  readers_.add(later, batch_);
  Opening stale = opening(4, Epoch::of(1, 1));
  readers_.add(stale, batch_);
  EXPECT_FALSE(stale.told);
  EXPECT_EQ(session(4), nullptr);
  EXPECT_EQ(row().reader, Epoch::of(2, 1));
}

TEST_F(BatchReadersTest, AMessageThatWasNotSentCannotBeAcknowledged) {
  Opening one = opening(3);
  readers_.add(one, batch_);
  readers_.add(Acknowledgement{{kAlice, 3}, {3, kLast, {}}}, batch_);
  EXPECT_EQ(row().floor, 0U);
  run_then();
  EXPECT_EQ(session(3), nullptr) << "its session has ended";
}

TEST_F(BatchReadersTest, ARejectionWithoutRoomWaitsForItsOwnBatch) {
  Opening one = opening(3);
  one.open.after = kLast;
  readers_.add(one, batch_);
  batch_.rows.put("x", std::string(kBatchBytes, 'x'));
  readers_.add(Acknowledgement{{kAlice, 3}, {3, 1, "bad"}}, batch_);
  EXPECT_EQ(batch_.put_off, kAlice);
  EXPECT_EQ(row().floor, 0U);
}

}  // namespace
}  // namespace starbus::mail::test
