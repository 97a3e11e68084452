/// A thread that logs which handler blocks the loop.
///
/// Created and destroyed on the loop's thread, where a timer beats. Its own thread only reads
/// atomics and writes to the log, and after end_by() ends the process of a loop that is blocked
/// beyond its own deadline. Logs nothing while the loop advances.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "nodes/runtime/load/stall_watch.hpp"

namespace starbus::nodes {

class StallDetector {
 public:
  struct Handler {
    std::string name;  // empty: none that has a name
    std::chrono::nanoseconds running{0};
  };
  /// Returns what the loop runs now. Called from the detector's thread while the loop is blocked.
  using Look = std::function<Handler()>;

  StallDetector(boost::asio::io_context& loop, std::chrono::milliseconds limit, Look look);
  ~StallDetector();
  StallDetector(const StallDetector&) = delete;
  StallDetector& operator=(const StallDetector&) = delete;

  /// If the detector still exists after this time, it logs the blocking handler and ends the
  /// process with this exit code, without destructors.
  void end_by(std::chrono::milliseconds from_now, int exit_code);
  std::uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  void beat();
  void watch();
  void observe(StallWatch& watch);
  void end_if_due(Clock::time_point now);

  const std::chrono::nanoseconds period_;
  const std::chrono::milliseconds limit_;
  const Look look_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::atomic<std::uint64_t> beats_{0};
  std::atomic<std::uint64_t> stalls_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;  // guarded by mutex_, as is what follows
  Clock::time_point end_by_ = Clock::time_point::max();
  int exit_code_ = 0;
  std::thread thread_;  // last: what it uses is there
};

}  // namespace starbus::nodes
