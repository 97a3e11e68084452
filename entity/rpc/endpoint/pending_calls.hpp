/// The calls of one endpoint that have not ended, and their deadlines.
///
/// Belongs to the loop's thread. Lists calls without owning them: each CallState takes itself off.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

#include "base/loop_thread.hpp"
#include "entity/rpc/endpoint/loop_timer.hpp"
#include "entity/rpc/endpoint/work_meter.hpp"

namespace starbus::entity::rpc {

class CallState;
using Deadlines = std::multimap<std::chrono::steady_clock::time_point, CallState*>;

class PendingCalls {
 public:
  PendingCalls(boost::asio::io_context& loop, WorkMeter& meter);
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  boost::asio::io_context& loop() const { return loop_; }
  WorkMeter& meter() const { return meter_; }
  /// Calls without an answer yet.
  std::size_t size() const { return open_; }
  /// False: kMaxCalls are open.
  bool may_begin() const;

  /// A call begins, and is listed; it ends, and its deadline with it.
  void began(CallState& state);
  void ended(CallState& state);
  /// Its last holder has let go of it.
  void gone(CallState& state);
  /// From now on the deadline counts.
  Deadlines::iterator arm(CallState& state, std::chrono::milliseconds deadline);
  /// Ends all calls as closed, on a later turn of the loop.
  void close();

 private:
  void expire();
  void arm_timer();

  boost::asio::io_context& loop_;
  WorkMeter& meter_;
  std::size_t open_ = 0;
  CallState* first_ = nullptr;  // also calls that have ended and are still held
  Deadlines deadlines_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  LoopTimer timer_;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
