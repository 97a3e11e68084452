#include "daemon/admin/query_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using From = QueryQueue::From;
using testing::ElementsAre;

class QueryQueueTest : public testing::Test {
 protected:
  void ask(From from, const std::string& text) {
    queue_.push(
        from,
        [this, text] {
          std::this_thread::sleep_for(work_);
          return Response::text(text);
        },
        [this, text](const Response& response) {
          answered_.push_back(text);
          refused_ += response.status == 503 ? 1 : 0;
        });
  }

  boost::asio::io_context loop_;
  std::chrono::milliseconds work_{0};
  std::vector<std::string> answered_;
  int refused_ = 0;
  QueryQueue queue_{loop_};
};

TEST_F(QueryQueueTest, AnswersInOrderAndNeverAtOnce) {
  ask(From::bus, "7");
  ask(From::bus, "8");
  EXPECT_TRUE(answered_.empty()) << "never from within push";
  loop_.run();
  EXPECT_THAT(answered_, ElementsAre("7", "8"));
}

TEST_F(QueryQueueTest, LeavesTheLoopThreeQuartersOfTheTime) {
  work_ = 5ms;
  for (int i = 0; i < 8; ++i) ask(i % 2 == 0 ? From::bus : From::here, std::to_string(i));
  const auto begin = std::chrono::steady_clock::now();
  loop_.run();
  EXPECT_EQ(answered_.size(), 8U);
  // Seven rests of at least 15 ms between eight answers of at least 5 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 145ms);
}

TEST_F(QueryQueueTest, RefusesWhatIsTooMuch) {
  const std::size_t asked = QueryQueue::kWaiting + 10;
  for (std::size_t i = 0; i < asked; ++i) ask(From::bus, std::to_string(i));
  loop_.run();
  ASSERT_EQ(answered_.size(), asked);
  EXPECT_EQ(refused_, 10);
  EXPECT_EQ(answered_.front(), std::to_string(QueryQueue::kWaiting))
      << "the refused ones hear it first";
}

// Another host asks as much as it can; the operator here still gets the next turn.
TEST_F(QueryQueueTest, AFullQueueOfTheBusLeavesRoomForThisHost) {
  for (std::size_t i = 0; i < 2 * QueryQueue::kWaiting; ++i) ask(From::bus, "bus");
  ask(From::here, "here");
  loop_.run();
  const auto here = std::ranges::find(answered_, "here");
  ASSERT_NE(here, answered_.end());
  EXPECT_LE(here - answered_.begin(), static_cast<std::ptrdiff_t>(QueryQueue::kWaiting) + 1);
  EXPECT_EQ(refused_, static_cast<int>(QueryQueue::kWaiting));
}

}  // namespace
}  // namespace starbus::daemon
