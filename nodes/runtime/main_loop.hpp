/// Runs posted closures and timers of a node in the queue of an io_context, which the links use,
/// too.
///
/// Owned and ended by the loop's thread; the io_context outlives it. post() may be called from any
/// thread. A pass is a handler of the io_context: one that reaches its limit continues after the
/// handlers that are queued by then. Failures are values.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/load/load.hpp"
#include "nodes/runtime/tasks/executor.hpp"
#include "nodes/runtime/tasks/work_queue.hpp"
#include "nodes/runtime/turn.hpp"

namespace starbus::nodes {

struct LoopCounters {
  std::uint64_t passes = 0;
  std::uint64_t capped = 0;  // passes that had more to do than they may
  std::uint64_t timers = 0;
  std::uint64_t closures = 0;
};

class MainLoop final : public Executor, private entity::TimerDriver {
 public:
  explicit MainLoop(boost::asio::io_context& loop, TurnLimits limits = {});
  ~MainLoop() override;

  /// Runs the closure later, on the loop. Errors: would_block (kMaxPosted wait), closed.
  bus::Result<> post(WorkName name, std::function<void()> closure) {
    return queue_.post(name, std::move(closure));
  }
  /// For callers that bound their posts themselves, such as TaskChannels.
  void run_later(WorkName name, std::function<void()> closure) override {
    queue_.post_bounded(name, std::move(closure));
  }

  entity::TimerWheel& timers() { return timers_; }
  Load& load() { return load_; }
  const Load& load() const { return load_; }
  const LoopCounters& counters() const { return counters_; }
  std::size_t posted() const { return queue_.size(); }

 private:
  // TimerDriver
  entity::Time now() override;
  void due_sooner() override { schedule(); }
  void began(const std::type_info& callback) override;
  void ended() override { in_timer_.reset(); }

  void schedule();  // from any thread
  void run();
  void sleep(std::optional<entity::Time> until);

  boost::asio::io_context& loop_;
  boost::asio::steady_timer alarm_;
  std::optional<entity::Time> armed_;  // for which it is set
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::atomic<bool> scheduled_{false};
  Load load_;
  std::optional<Load::Scope> in_timer_;
  entity::TimerWheel timers_;
  WorkQueue queue_;
  Turn turn_;
  LoopCounters counters_;
};

}  // namespace starbus::nodes
