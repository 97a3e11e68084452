#include "daemon/admin/query_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;

bus::Query question(std::uint64_t number) {
  bus::Query query;
  query.from_host = "a";
  query.number = number;
  query.path = "/names";
  return query;
}

class QueryQueueTest : public testing::Test {
 protected:
  boost::asio::io_context loop_;
  std::chrono::milliseconds work_{0};
  std::vector<bus::Answer> answers_;
  QueryQueue queue_{loop_,
                    [this](const std::string& path) {
                      std::this_thread::sleep_for(work_);
                      return Response::text(path);
                    },
                    [this](const bus::Answer& answer) { answers_.push_back(answer); }};
};

TEST_F(QueryQueueTest, AnswersEachToWhoAskedAndInOrder) {
  queue_.push(question(7));
  queue_.push(question(8));
  EXPECT_TRUE(answers_.empty()) << "never from within push";
  loop_.run();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].number, 7U);
  EXPECT_EQ(answers_[1].number, 8U);
  EXPECT_EQ(answers_[0].to_host, "a");
  EXPECT_EQ(answers_[0].status, 200U);
  EXPECT_EQ(bus::as_text(answers_[0].body), "/names");
}

TEST_F(QueryQueueTest, LeavesTheLoopThreeQuartersOfTheTime) {
  work_ = 5ms;
  for (std::uint64_t i = 0; i < 8; ++i) queue_.push(question(i));
  const auto begin = std::chrono::steady_clock::now();
  loop_.run();
  EXPECT_EQ(answers_.size(), 8U);
  // Seven rests of at least 15 ms between eight answers of at least 5 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 145ms);
}

TEST_F(QueryQueueTest, RefusesWhatIsTooMuch) {
  const std::size_t asked = QueryQueue::kWaiting + 10;
  for (std::uint64_t i = 0; i < asked; ++i) queue_.push(question(i));
  loop_.run();
  ASSERT_EQ(answers_.size(), asked);
  EXPECT_EQ(std::ranges::count(answers_, 503, &bus::Answer::status), 10);
  EXPECT_EQ(answers_.front().number, QueryQueue::kWaiting) << "the refused ones hear it first";
}

}  // namespace
}  // namespace starbus::daemon
