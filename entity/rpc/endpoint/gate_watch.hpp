#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/rpc/gates.hpp"
#include "entity/rpc/servers.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::bus {
class Bus;
class WatchHandle;
}  // namespace starbus::bus

namespace starbus::entity::rpc {

/// Watches which processes are gates and which are servers, and lets others wait until that is
/// known. Belongs to the loop's thread; callbacks are dropped with it. A watch that the bus refuses
/// fails all that wait, and is tried again by the next.
class GateWatch {
 public:
  using Done = std::function<void(bus::Result<>)>;

  GateWatch(bus::Bus& bus, boost::asio::io_context& loop);
  ~GateWatch();
  GateWatch(const GateWatch&) = delete;
  GateWatch& operator=(const GateWatch&) = delete;

  const Gates& gates() const { return gates_; }
  const Servers& servers() const { return servers_; }
  /// False until both are known: until then no caller's permissions are.
  bool known() const { return gates_.known() && servers_.known(); }
  /// Watches, unless it does.
  void start();
  /// Calls `done` once gates and servers are known; at once if they are.
  void when_known(Done done);
  /// Takes rows of either watch; public for programs without a bus: fuzz targets, benchmarks.
  void update(const std::vector<bus::WatchRow>& changes, bool complete);
  void update_servers(const std::vector<bus::WatchRow>& changes, bool complete);

 private:
  using Update = void (GateWatch::*)(const std::vector<bus::WatchRow>& changes, bool complete);
  using Handle = std::unique_ptr<bus::WatchHandle>;
  void watch(std::string_view prefix, Update update, Handle GateWatch::*handle);
  void finish(const bus::Result<>& result);

  bus::Bus& bus_;
  boost::asio::io_context& loop_;
  const std::shared_ptr<GateWatch*> self_ = std::make_shared<GateWatch*>(this);
  Gates gates_;
  Servers servers_;
  Handle gates_handle_;
  Handle servers_handle_;
  bool watching_ = false;
  std::vector<Done> waiting_;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
