#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/rpc/gates.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::bus {
class Bus;
class LastingWatch;
}  // namespace starbus::bus

namespace starbus::entity::rpc {

/// Watches which processes are gates, and lets others wait until that is known. Belongs to the
/// loop's thread; callbacks are dropped with it. A watch that the bus refuses is tried again, and
/// the gates stay as they were known meanwhile; only one that cannot begin at all (closed) fails
/// those that wait.
class GateWatch {
 public:
  using Done = std::function<void(bus::Result<>)>;

  GateWatch(bus::Bus& bus, boost::asio::io_context& loop);
  ~GateWatch();
  GateWatch(const GateWatch&) = delete;
  GateWatch& operator=(const GateWatch&) = delete;

  const Gates& gates() const { return gates_; }
  /// Watches, unless it does or all is known.
  void start();
  /// Calls `done` once the gates are known; at once if they are.
  void when_known(Done done);
  /// Takes the rows of the watch; public for programs without a bus: fuzz targets, benchmarks.
  void update(const std::vector<bus::WatchRow>& changes, bool complete);

 private:
  void finish(const bus::Result<>& result);

  bus::Bus& bus_;
  boost::asio::io_context& loop_;
  const std::shared_ptr<GateWatch*> self_ = std::make_shared<GateWatch*>(this);
  Gates gates_;
  std::unique_ptr<bus::LastingWatch> watch_;
  bool watching_ = false;
  std::vector<Done> waiting_;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
