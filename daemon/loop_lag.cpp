#include "daemon/loop_lag.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/metrics.hpp"
#include "daemon/rate_limited.hpp"

namespace starbus::daemon {

/// The timer and its results; shared with the handler that waits in the loop.
class LoopLag::Probe : public std::enable_shared_from_this<Probe> {
 public:
  using Clock = std::chrono::steady_clock;
  Probe(boost::asio::io_context& loop, RateLimited& limited) : timer_(loop), limited_(&limited) {}

  void start() {
    window_begin_ = Clock::now();
    wait();
  }
  void stop() {
    limited_ = nullptr;
    timer_.cancel();
  }
  Duration last() const { return last_; }
  Duration worst() const { return std::max(worst_now_, worst_before_); }

 private:
  void wait() {
    timer_.expires_after(kPeriod);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || self->limited_ == nullptr) return;
      self->measure();
      self->wait();
    });
  }

  void measure() {
    const auto now = Clock::now();
    last_ = std::max(Duration::zero(), Duration(now - timer_.expiry()));
    // Two windows, so that a peak is visible for at least one whole window.
    if (now - window_begin_ >= kWindow) {
      worst_before_ = std::exchange(worst_now_, Duration::zero());
      window_begin_ = now;
    }
    worst_now_ = std::max(worst_now_, last_);
    if (last_ >= kWarn && limited_->allow("loop lag", now)) {
      const auto late = std::chrono::duration_cast<std::chrono::milliseconds>(last_);
      spdlog::warn("the event loop was late by {} ms: a handler took too long, or the host is busy",
                   late.count());
    }
  }

  boost::asio::steady_timer timer_;
  RateLimited* limited_;  // null after stop()
  Clock::time_point window_begin_;
  Duration last_{};
  Duration worst_now_{};
  Duration worst_before_{};
};

LoopLag::LoopLag(boost::asio::io_context& loop, RateLimited& limited)
    : probe_(std::make_shared<Probe>(loop, limited)) {
  probe_->start();
}
LoopLag::~LoopLag() {
  probe_->stop();
}

LoopLag::Duration LoopLag::last() const {
  return probe_->last();
}
LoopLag::Duration LoopLag::worst() const {
  return probe_->worst();
}

void LoopLag::add_to(Metrics& metrics) const {
  const auto seconds = [](Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  // The probe is shared, so a late scrape reads old values and nothing worse.
  metrics.gauge("starbus_loop_lag_seconds",
                "Lateness of the event loop in seconds at the last probe.",
                [probe = probe_, seconds] { return seconds(probe->last()); });
  metrics.gauge("starbus_loop_lag_worst_seconds",
                "Largest lateness of the event loop in seconds within the last 10 to 20 s.",
                [probe = probe_, seconds] { return seconds(probe->worst()); });
}

}  // namespace starbus::daemon
