#include "mail/batch/batch_posts.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class BatchPostsTest : public BatchTest {
 protected:
  BatchPostsTest() : BatchTest({.box_messages = kLast + 2}) {}
  PostResult post(std::uint64_t seq, const std::string& key = "") {
    WaitingPost post{stream(), seq, message("body", key), false, Errc::bad_bytes, box()};
    post.decoded = bus::decode_post(post.message);
    posts_.add(post, batch_);
    return batch_.streams.at(stream()).results.back();
  }

  BatchBoxes boxes_{*mail_};
  BatchPosts posts_{*mail_, boxes_};
};

TEST_F(BatchPostsTest, APostIsAResultOfItsStream) {
  EXPECT_EQ(post(7).number, kLast + 1);
  EXPECT_EQ(batch_.streams.at(stream()).last, 7U);
  EXPECT_EQ(batch_.counters.stored, 1U);
}

TEST_F(BatchPostsTest, AFullBoxRefusesAndTheStreamGoesOn) {
  post(1);
  post(2);
  const PostResult refused = post(3);
  EXPECT_EQ(refused.status, Errc::mailbox_full);
  EXPECT_EQ(refused.number, static_cast<std::uint64_t>(PostLimit::box_messages));
  EXPECT_EQ(batch_.streams.at(stream()).last, 3U);
  EXPECT_EQ(row().last, kLast + 2);
}

TEST_F(BatchPostsTest, TheSameKeyInOneBatchIsStoredOnce) {
  EXPECT_EQ(post(1, "key").number, kLast + 1);
  EXPECT_EQ(post(2, "key").number, kLast + 1);
  EXPECT_EQ(batch_.counters.repeated_keys, 1U);
  EXPECT_EQ(row().last, kLast + 1);
}

TEST_F(BatchPostsTest, ARefusingBatchStoresNothing) {
  batch_.refusing = true;
  EXPECT_EQ(post(1).status, Errc::store_full);
  EXPECT_EQ(row().last, kLast);
}

TEST_F(BatchPostsTest, APostToAClosedShardIsIgnored) {
  ASSERT_TRUE(mail_->shards.close(shard()));
  posts_.add({stream(), 1, message("body"), true, Errc::bad_bytes, box()}, batch_);
  EXPECT_TRUE(batch_.streams.empty());
}

}  // namespace
}  // namespace starbus::mail::test
