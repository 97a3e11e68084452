#include "mail/batch/waiting_queue.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class WaitingQueueTest : public BatchTest {
 protected:
  bool post(std::uint64_t seq, std::size_t bytes = 1) {
    return queue_.add_post(stream(), seq, message(std::string(bytes, 'x')), false);
  }
  /// The next batch: p and the seq of a post, r of a reader, o of an operator.
  static std::string text(const std::vector<BatchItem>& items) {
    std::string words;
    for (const BatchItem& item : items) {
      const auto* const post = std::get_if<WaitingPost>(&item);
      if (post) words += "p" + std::to_string(post->seq);
      if (std::holds_alternative<Opening>(item)) words += "r";
      if (std::holds_alternative<WaitingPurge>(item)) words += "o";
    }
    return words;
  }

  WaitingQueue queue_;
};

TEST_F(WaitingQueueTest, PostsAndReadersTakeTurns) {
  post(1);
  post(2);
  queue_.add(WaitingPurge{});
  queue_.readers().add(opening(1));
  queue_.readers().add(opening(2));
  EXPECT_EQ(text(queue_.take()), "p1rp2ro");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(WaitingQueueTest, ItemsPutBackKeepTheirOrder) {
  for (std::uint64_t seq = 1; seq <= 4; ++seq) post(seq);
  auto items = queue_.take();
  queue_.put_back(items, 1);
  EXPECT_EQ(text(items), "p1");
  EXPECT_EQ(text(queue_.take()), "p2p3p4");
}

TEST_F(WaitingQueueTest, AReaderPutOffIsTheFirstOfTheNextBatch) {
  post(1);
  queue_.readers().add(opening(1));
  auto items = queue_.take();
  queue_.put_back(items, 0);
  queue_.put_off(kAlice);
  EXPECT_EQ(text(queue_.take()), "rp1");
}

TEST_F(WaitingQueueTest, WaitingPostsAreBoundedInBytes) {
  EXPECT_TRUE(post(1, kMailWaitingBytes));
  EXPECT_FALSE(post(2));
  queue_.forget_posts([](const StreamId& of) { return of == stream(); });
  EXPECT_TRUE(queue_.empty());
  EXPECT_TRUE(post(2)) << "its bytes are free again";
}

TEST_F(WaitingQueueTest, WaitingRequestsAreBounded) {
  for (std::size_t i = 0; i < kMailWaitingRequests; ++i) EXPECT_TRUE(queue_.add(WaitingPurge{}));
  EXPECT_FALSE(queue_.add(WaitingPurge{}));
  EXPECT_EQ(queue_.take_all().size(), kMailWaitingRequests);
  EXPECT_TRUE(queue_.add(WaitingPurge{}));
}

TEST_F(WaitingQueueTest, ABatchIsBounded) {
  for (std::uint64_t seq = 0; seq <= kBatchMessages; ++seq) post(seq);
  EXPECT_EQ(queue_.take().size(), kBatchMessages);
  EXPECT_EQ(queue_.take().size(), 1U);
  for (std::uint64_t seq = 0; seq < 3; ++seq) post(seq, kBatchBytes / 2);
  EXPECT_EQ(text(queue_.take()), "p0") << "with their heads two are too large";
  post(3, 2 * kBatchBytes);
  EXPECT_EQ(text(queue_.take()), "p1");
  EXPECT_EQ(text(queue_.take()), "p2");
  EXPECT_EQ(text(queue_.take()), "p3") << "a larger one goes alone";
  for (std::uint64_t token = 0; token <= kBatchRequests; ++token) {
    queue_.readers().add(opening(token));
  }
  EXPECT_EQ(queue_.take().size(), kBatchRequests);
  EXPECT_EQ(queue_.take().size(), 1U);
}

}  // namespace
}  // namespace starbus::mail::test
