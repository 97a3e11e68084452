#include "nodes/runtime/load/stall_detector.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace starbus::nodes {

StallDetector::StallDetector(boost::asio::io_context& loop, std::chrono::milliseconds limit,
                             Look look)
    : period_(StallWatch::beat_period(limit)),
      limit_(limit),
      look_(std::move(look)),
      timer_(loop),
      thread_([this] { watch(); }) {
  beat();
}

StallDetector::~StallDetector() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void StallDetector::beat() {
  beats_.fetch_add(1, std::memory_order_relaxed);
  timer_.expires_after(period_);
  // A timer that has run out cannot be cancelled: its handler may come after the end of this.
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !weak.expired()) beat();
  });
}

void StallDetector::end_by(std::chrono::milliseconds from_now, int exit_code) {
  const std::lock_guard lock(mutex_);
  end_by_ = Clock::now() + from_now;
  exit_code_ = exit_code;
}

void StallDetector::watch() {
  StallWatch watch(limit_);
  std::unique_lock lock(mutex_);
  while (!ended_) {
    wake_.wait_for(lock, period_, [this] { return ended_; });
    if (ended_) return;
    end_if_due(Clock::now());
    lock.unlock();
    observe(watch);
    lock.lock();
  }
}

void StallDetector::observe(StallWatch& watch) {
  StallWatch::Sample sample;
  sample.beats = beats_.load(std::memory_order_relaxed);
  Handler handler = look_();
  sample.handler = std::move(handler.name);
  sample.handler_for = handler.running;
  const auto report = watch.observe(Clock::now().time_since_epoch(), sample);
  stalls_.store(watch.stalls(), std::memory_order_relaxed);
  if (report) spdlog::warn("{}", to_string(*report));
}

void StallDetector::end_if_due(Clock::time_point now) {
  if (now < end_by_) return;
  const Handler handler = look_();
  spdlog::critical("the stop did not end in time, and the loop is blocked by '{}': ends at once",
                   handler.name.empty() ? "a handler without a name" : handler.name);
  spdlog::default_logger()->flush();
  ::_exit(exit_code_);
}

}  // namespace starbus::nodes
