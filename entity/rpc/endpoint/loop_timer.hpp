#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace starbus::entity::rpc {

/// Calls one function at a time of loop_now() (loop_clock.hpp), on the loop's thread. A timer of
/// Asio behind a pointer, so that headers of entities need none of Asio's. The function may end the
/// timer; it is not called after the end of the timer.
class LoopTimer {
 public:
  LoopTimer(boost::asio::io_context& loop, std::function<void()> on_time);
  ~LoopTimer();
  LoopTimer(const LoopTimer&) = delete;
  LoopTimer& operator=(const LoopTimer&) = delete;

  /// Replaces the time that was set before.
  void set(std::chrono::steady_clock::time_point at);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace starbus::entity::rpc
