/// Answers to one channel leave in the order in which they were given, whatever waits for room.
#include <gtest/gtest.h>

#include "entity/rpc/endpoint/reply_sender.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

class ReplyOrder : public RpcTest {
 protected:
  /// Notes the numbers of the questions that are answered.
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    bus::Handlers asker;
    asker.on_message = [this](bus::Message& message) {
      Decoder in(message.body());
      AnswerId question;
      EXPECT_TRUE(get_answer_head(in, question));
      answered.push_back(question.number);
    };
    const auto bound = co_await caller_bus.bind("entity/asker", asker, use_awaitable);
    co_return bound.has_value();
  }
  std::vector<std::uint64_t> answered;
};

TEST_F(ReplyOrder, ASmallAnswerDoesNotOvertakeLargeOnesThatWait) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    BufferPool buffers;
    EndpointCounters counters;
    ReplySender replies(server_bus, loop, buffers, counters);
    const Bytes large(100'000);
    const Bytes small(1);
    std::vector<std::uint64_t> given;
    // In one turn of the loop, so that nothing is acknowledged: far more than a window.
    for (std::uint64_t number = 1; number <= 60; ++number) {
      replies.send(AnswerRoute("entity/asker", {1, number}), number % 3 == 0 ? small : large);
      given.push_back(number);
    }
    EXPECT_TRUE(co_await until([&] { return answered.size() == given.size(); }));
    EXPECT_EQ(answered, given);
    EXPECT_EQ(counters.dropped_replies, 0U);
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
