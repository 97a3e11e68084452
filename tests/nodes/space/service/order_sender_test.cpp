#include "nodes/space/service/order_sender.hpp"

#include "tests/nodes/space/service/support.hpp"

namespace starbus::nodes::space::test {
namespace {

class OrderSenderTest : public SpaceServiceTestBase {};

TEST_F(OrderSenderTest, OrdersBeyondTheLimitAreRefusedAndTheOthersArrive) {
  run([this]() -> Task {
    constexpr std::size_t kNodes = 32;
    const auto from = caller("from");
    const auto to = caller("to");
    CO_OK(co_await from->bus.connect(use_awaitable));
    CO_OK(co_await to->bus.connect(use_awaitable));
    std::map<std::string, std::uint64_t> latest;
    std::size_t taken = 0;
    OrdersPort port([&](const bus::Process&, const Order& order) -> Result<> {
      EXPECT_GT(order.number, latest[order.node]) << "in the order of their numbers";
      latest[order.node] = order.number;
      ++taken;
      return {};
    });
    for (std::size_t i = 0; i < kNodes; ++i) {
      const std::string channel = orders_channel("a.n" + std::to_string(i));
      CO_OK(co_await to->endpoint.bind(channel, port, use_awaitable));
    }
    std::size_t obeyed = 0;
    OrderSender sender(from->endpoint,
                       [&](const std::string&, std::uint64_t, Sent sent, const Error& why) {
                         EXPECT_EQ(sent, Sent::obeyed) << why.to_string();
                         ++obeyed;
                       });
    Order order;
    while (sender.open() < kMaxOpenOrders) {
      order.node = "a.n" + std::to_string(++order.number % kNodes);
      CO_TRUE(sender.send(order));
    }
    ++order.number;
    EXPECT_FALSE(sender.send(order));
    CO_TRUE(co_await until([&] { return obeyed == kMaxOpenOrders; }));
    EXPECT_EQ(taken, kMaxOpenOrders);
    EXPECT_EQ(sender.open(), 0u);
    EXPECT_TRUE(sender.send(order));
  });
}

TEST_F(OrderSenderTest, OneNodeLeavesRoomForTheOrdersOfOthers) {
  run([this]() -> Task {
    const auto from = caller("from");
    CO_OK(co_await from->bus.connect(use_awaitable));
    std::size_t ended = 0;
    OrderSender sender(from->endpoint,
                       [&](const std::string&, std::uint64_t, Sent, const Error&) { ++ended; });
    Order order;
    order.node = "a.one";
    while (order.number < kMaxOpenOrders && sender.send(order)) ++order.number;
    EXPECT_EQ(order.number, std::size_t{kMaxOrdersOfNode});
    order.node = "a.other";
    EXPECT_TRUE(sender.send(order));
    CO_TRUE(co_await until([&] { return ended == kMaxOrdersOfNode + 1; }));
    order.node = "a.one";
    EXPECT_TRUE(sender.send(order)) << "its share is free again";
  });
}

TEST_F(OrderSenderTest, FailuresSayWhetherTheOrderWasHandled) {
  const auto outcome = [](Error error) {
    return outcome_of(rpc::Failure<Error>(std::move(error)));
  };
  EXPECT_EQ(outcome(bus::Errc::no_owner), Sent::undelivered);
  EXPECT_EQ(outcome(bus::Errc::denied), Sent::undelivered);
  EXPECT_EQ(outcome(bus::Errc::would_block), Sent::undelivered);
  EXPECT_EQ(outcome(rpc::Errc::would_block), Sent::undelivered);
  EXPECT_EQ(outcome(rpc::Errc::too_large), Sent::undelivered);
  EXPECT_EQ(outcome(rpc::Errc::not_permitted), Sent::undelivered);
  EXPECT_EQ(outcome(bus::Errc::owner_lost), Sent::uncertain);
  EXPECT_EQ(outcome(rpc::Errc::deadline), Sent::uncertain);
  EXPECT_EQ(outcome(rpc::Errc::failed), Sent::uncertain);
  EXPECT_EQ(outcome(rpc::Errc::closed), Sent::uncertain);
  using Failed = rpc::Failure<Error>;
  EXPECT_EQ(outcome_of(Failed::of_method(Errc::stale_service)), Sent::stale);
  EXPECT_EQ(outcome_of(Failed::of_method(Errc::bad_request)), Sent::undelivered);
}

}  // namespace
}  // namespace starbus::nodes::space::test
