/// The RPC methods by which the service of spaces and the nodes that run spaces reach each other.
///
///   rpc::send<&OrdersPort::obey>(endpoint, orders_channel("b.town"), {}, order);
///   rpc::send<&NewsPort::announce>(endpoint, kSpaceService, {}, announcement);
///
/// Both sides send on one lane, so orders reach a node in the order of their numbers, and what a
/// node says comes in the order in which it says it. Objects of this file belong to the loop's
/// thread; only servers may call them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "entity/rpc/rpc.hpp"
#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// The service's type in the manager's file, and the channel of its one instance.
inline constexpr std::string_view kServiceType = "space";
inline constexpr std::string_view kSpaceService = "service/space#1";
/// Nodes that run spaces, from their start to their end: one that drains is a member still.
inline constexpr std::string_view kSpaceNodes = "group/space_nodes";

/// "spaces/HOST.NODE": where a node takes orders.
inline std::string orders_channel(std::string_view process) {
  return "spaces/" + std::string(process);
}

/// What a node takes from the service, under orders_channel().
class OrdersPort final : public entity::rpc::Callable<OrdersPort> {
 public:
  using Heard = std::function<Result<>(const bus::Process&, const Order&)>;

  explicit OrdersPort(Heard heard) : heard_(std::move(heard)) {}
  ~OrdersPort() { close_rpc(); }

  /// Answers when the order was handled, or refused: stale_service. Its outcome is news.
  Result<> obey(entity::rpc::Caller& from, Order order) { return heard_(from.process, order); }

  static constexpr auto kRpc = entity::rpc::methods<&OrdersPort::obey>("starbus_space_orders");

 private:
  const Heard heard_;
};

/// What the service takes from nodes, as a part of it and under its name.
class NewsPort final : public entity::rpc::Callable<NewsPort> {
 public:
  using Announced = std::function<void(const bus::Process&, const Announcement&)>;
  using Replied = std::function<void(const bus::Process&, const Reply&)>;

  NewsPort(Announced announced, Replied replied)
      : announced_(std::move(announced)), replied_(std::move(replied)) {}
  ~NewsPort() { close_rpc(); }

  void announce(entity::rpc::Caller& from, Announcement what) { announced_(from.process, what); }
  void reply(entity::rpc::Caller& from, Reply what) { replied_(from.process, what); }

  static constexpr auto kRpc =
      entity::rpc::methods<&NewsPort::announce, &NewsPort::reply>("starbus_space_news");

 private:
  const Announced announced_;
  const Replied replied_;
};

}  // namespace starbus::nodes::space
