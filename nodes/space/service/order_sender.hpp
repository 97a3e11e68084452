/// Sends the orders of the service to nodes, in their order, and says which of them did not arrive.
///
/// Belongs to the loop's thread; the endpoint outlives it. Open calls are bounded by
/// kMaxOpenOrders. All orders take one lane, so that a node gets them in the order of their
/// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/space/ports.hpp"

namespace starbus::nodes::space {

/// How an order has ended.
enum class Sent : std::uint8_t {
  obeyed,       ///< its node has handled it; its outcome is news
  undelivered,  ///< it was not handled, and never will be
  uncertain,    ///< its node may have handled it, or may still: what it announces will show
  stale,        ///< its node obeys a later service, and did nothing
};

class OrderSender {
 public:
  /// Called once for each order that was sent, in a later turn of the loop, with its node and
  /// number. Not called after the end of this object.
  using Ended =
      std::function<void(const std::string& node, std::uint64_t number, Sent, const Error& why)>;

  OrderSender(entity::rpc::Endpoint& endpoint, Ended ended)
      : endpoint_(endpoint), ended_(std::move(ended)) {}
  OrderSender(const OrderSender&) = delete;
  OrderSender& operator=(const OrderSender&) = delete;

  /// False: kMaxOpenOrders are under way, or kMaxOrdersOfNode to this node. It was not sent, and
  /// `ended` is not called.
  bool send(const Order& order);
  std::size_t open() const { return open_; }

 private:
  entity::rpc::Endpoint& endpoint_;
  const Ended ended_;
  std::size_t open_ = 0;
  std::map<std::string, std::size_t, std::less<>> open_of_;  // by node
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// How an order has ended whose call has failed.
Sent outcome_of(const entity::rpc::Failure<Error>& failure);

}  // namespace starbus::nodes::space
