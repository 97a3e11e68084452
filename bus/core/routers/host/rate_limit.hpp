/// A token bucket with the tokens of one second. A cost may be larger than the bucket: it then goes
/// into debt, so that a large message passes and its successors wait. A plain value; one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bus/core/lanes.hpp"

namespace starbus::bus {

class RateLimit {
 public:
  /// Whether a message may pass now: always true for a rate of 0.
  bool open(std::uint64_t per_second, Time now) {
    if (per_second == 0) return true;
    const double rate = static_cast<double>(per_second);
    const double seconds = std::chrono::duration<double>(now - filled_).count();
    tokens_ = std::min(rate, tokens_ + rate * seconds);
    filled_ = now;
    return tokens_ > 0;
  }
  void take(std::uint64_t cost) { tokens_ -= static_cast<double>(cost); }

 private:
  double tokens_ = 0;
  Time filled_{-std::chrono::seconds(3600)};  // so that the bucket begins full
};

}  // namespace starbus::bus
