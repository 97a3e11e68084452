#include "mail/batch/mail_pipeline.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

using testing::ElementsAre;

class MailPipelineTest : public BatchTest {
 protected:
  void post(std::uint64_t seq) { queue_.add_post(stream(), seq, message("x"), false); }

  WaitingQueue queue_;
  MailPipeline pipeline_{*mail_, queue_};
};

TEST_F(MailPipelineTest, OneBatchIsUnderWayAndTheOthersWait) {
  post(1);
  pipeline_.flush();
  EXPECT_EQ(pipeline_.under_way(stream()), 1U);
  post(2);
  pipeline_.flush();
  EXPECT_EQ(pipeline_.begun(), 1U);
  EXPECT_EQ(pipeline_.ended(), 0U);
  EXPECT_FALSE(queue_.empty());
  EXPECT_TRUE(shell_.said.empty()) << "nothing is told before the disk has it";
  shell_.run_one();  // which begins the second batch
  shell_.run_one();
  EXPECT_THAT(shell_.said, ElementsAre("stored 1 1=6", "stored 2 2=7"));
  EXPECT_TRUE(pipeline_.idle());
  EXPECT_EQ(pipeline_.ended(), 2U);
}

TEST_F(MailPipelineTest, AStoppedStoreDropsWhatWaits) {
  std::vector<Errc> ended;
  queue_.add(WaitingPurge{
      box(), 1, [&](Result<std::uint64_t> purged) { ended.push_back(errc_of(purged.error())); }});
  post(1);
  pipeline_.store_stopped(storage::Error(storage::Errc::io_error, "gone"));
  EXPECT_TRUE(pipeline_.stopped());
  EXPECT_TRUE(queue_.empty());
  EXPECT_THAT(ended, ElementsAre(Errc::closed));
  post(2);
  pipeline_.flush();
  EXPECT_EQ(pipeline_.begun(), 0U);
}

}  // namespace
}  // namespace starbus::mail::test
