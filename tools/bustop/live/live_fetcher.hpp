#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/file_descriptor.hpp"
#include "tools/bustop/live/live_data.hpp"

namespace starbus::bustop {

/// Fetches what the live view wants on a thread of its own, so that keys are never held up by a
/// daemon that does not answer. ready() becomes readable when take() has something. Keeps only the
/// latest data. The view of the cluster must outlive it.
class LiveFetcher {
 public:
  explicit LiveFetcher(const ClusterView& view);
  ~LiveFetcher();

  /// A changed `want` is fetched at once, everything else each `interval`; paused: only changes.
  void set(const LiveWant& want, std::chrono::milliseconds interval, bool paused);
  int ready() const { return event_.get(); }
  std::optional<LiveData> take();
  /// Ends the thread; false if it still waits for an answer after `patience`.
  bool stop(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  bool due() const;

  const ClusterView& view_;
  FileDescriptor event_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LiveWant want_;
  std::chrono::milliseconds interval_{1000};
  bool paused_ = false;
  bool wanted_now_ = true;
  Clock::time_point last_{};
  std::optional<LiveData> data_;
  bool stopping_ = false;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace starbus::bustop
