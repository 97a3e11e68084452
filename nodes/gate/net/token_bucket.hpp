#pragma once

#include <algorithm>
#include <chrono>

namespace starbus::nodes::gate::net {

/// So many events a second in the long run, and a burst at once. The clock is the caller's. A plain
/// value, one thread at a time; the rate is the caller's too, so that thousands of buckets are
/// small.
class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Full: `burst` events may come at once.
  TokenBucket(double burst, Time now) : tokens_(burst), filled_(now) {}

  /// True if one more event may come now; it counts. `rate` is a second's.
  bool take(double rate, double burst, Time now) {
    fill(rate, burst, now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  /// How long until take() is true.
  std::chrono::nanoseconds wait(double rate, double burst, Time now) {
    fill(rate, burst, now);
    if (tokens_ >= 1) return {};
    const std::chrono::duration<double> seconds((1 - tokens_) / rate);
    return std::chrono::ceil<std::chrono::nanoseconds>(seconds) + std::chrono::microseconds(1);
  }

 private:
  void fill(double rate, double burst, Time now) {
    if (now <= filled_) return;
    const std::chrono::duration<double> seconds = now - filled_;
    tokens_ = std::min(burst, tokens_ + seconds.count() * rate);
    filled_ = now;
  }
  double tokens_;
  Time filled_;
};

}  // namespace starbus::nodes::gate::net
