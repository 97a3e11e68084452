#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/rpc/endpoint/gates.hpp"
#include "entity/rpc/endpoint/servers.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::bus {
class Bus;
class LastingWatch;
}  // namespace starbus::bus

namespace starbus::entity::rpc {

/// Watches which processes are gates and which are servers, and lets others wait until that is
/// known. Belongs to the loop's thread; callbacks are dropped with it. A watch that the bus refuses
/// is asked for again; what is known stays so meanwhile, and who waits for a first answer is told
/// of the refusal.
class GateWatch {
 public:
  using Done = std::function<void(bus::Result<>)>;

  GateWatch(bus::Bus& bus, boost::asio::io_context& loop);
  ~GateWatch();
  GateWatch(const GateWatch&) = delete;
  GateWatch& operator=(const GateWatch&) = delete;

  const Gates& gates() const { return gates_; }
  const Servers& servers() const { return servers_; }
  void trust_unlisted() { servers_.trust_unlisted(); }
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
  void watch(std::string_view prefix, Update update, std::unique_ptr<bus::LastingWatch>& lasting);
  void end_waiting(const bus::Result<>& result);

  bus::Bus& bus_;
  boost::asio::io_context& loop_;
  const std::shared_ptr<GateWatch*> self_ = std::make_shared<GateWatch*>(this);
  Gates gates_;
  Servers servers_;
  std::unique_ptr<bus::LastingWatch> gates_watch_;
  std::unique_ptr<bus::LastingWatch> servers_watch_;
  bool watching_ = false;
  std::vector<Done> waiting_;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
