/// The link of one run of bustop to the bus, for questions that no admin socket answers. Runs its
/// own loop within each call; one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "bus/client/bus.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::bustop {

class BusLink {
 public:
  /// `endpoint`: empty: $STARBUS_BUSD, else the usual one.
  BusLink(const std::string& endpoint, const std::string& role);

  /// unreachable: no busd within this time; name_taken and others of bus::Bus::connect.
  bus::Result<> connect(std::chrono::milliseconds most);
  /// Runs the loop until `done`, or for this time.
  void run(std::chrono::milliseconds most, const bool& done);

  /// Runs the loop until the call has ended, which it does by its deadline. nullopt: the loop has
  /// nothing left to do.
  template <class T, class E>
  std::optional<entity::rpc::Reply<T, E>> end(entity::rpc::Pending<T, E> pending) {
    std::optional<entity::rpc::Reply<T, E>> reply;
    std::move(pending)(
        [&reply](entity::rpc::Reply<T, E> ended) { reply.emplace(std::move(ended)); });
    loop_.restart();
    while (!reply && loop_.run_one() != 0) {
    }
    return reply;
  }

  bus::Bus& bus() { return bus_; }
  entity::rpc::Endpoint& rpc() { return rpc_; }

 private:
  boost::asio::io_context loop_;
  bus::Bus bus_;
  entity::rpc::Endpoint rpc_;
};

}  // namespace starbus::bustop
