#include "nodes/space/service/order_sender.hpp"

#include <algorithm>
#include <utility>

#include "nodes/space/service/limits.hpp"

namespace starbus::nodes::space {
namespace {

namespace rpc = entity::rpc;

/// Errors after which nothing was run. An answer of obey() is small, so that too_large speaks of
/// the order.
constexpr Code kOrderNotRun[] = {
    bus::Errc::no_owner,           bus::Errc::denied,         bus::Errc::bad_name,
    bus::Errc::would_block,        bus::Errc::too_large,      bus::Errc::unreachable,
    bus::Errc::no_handler,         rpc::Errc::rpc_not_found,  rpc::Errc::bad_arguments,
    rpc::Errc::not_permitted,      rpc::Errc::no_such_entity, rpc::Errc::no_such_component,
    rpc::Errc::signature_mismatch, rpc::Errc::would_block,    rpc::Errc::too_large};

}  // namespace

Sent outcome_of(const rpc::Failure<Error>& failure) {
  if (failure == rpc::Errc::refused) {
    return failure.error == Errc::stale_service ? Sent::stale : Sent::undelivered;
  }
  const bool not_run =
      std::ranges::any_of(kOrderNotRun, [&](Code code) { return failure == code; });
  return not_run ? Sent::undelivered : Sent::uncertain;
}

bool OrderSender::send(const Order& order) {
  if (open_ >= kMaxOpenOrders) return false;
  std::size_t& of_node = open_of_[order.node];
  if (of_node >= kMaxOrdersOfNode) return false;
  ++of_node;
  ++open_;
  rpc::CallOptions options;
  options.deadline = kOrderDeadline;
  auto pending =
      rpc::call<&OrdersPort::obey>(endpoint_, orders_channel(order.node), options, order);
  std::move(pending)([this, alive = std::weak_ptr(alive_), node = order.node,
                      number = order.number](const auto& reply) {
    if (alive.expired()) return;
    --open_;
    if (--open_of_.at(node) == 0) open_of_.erase(node);
    if (reply) return ended_(node, number, Sent::obeyed, {});
    const rpc::Failure<Error>& failure = reply.error();
    ended_(node, number, outcome_of(failure), failure);
  });
  return true;
}

}  // namespace starbus::nodes::space
