// Pace: an open loop. Message number k of all clients is due at a time that does not depend on what
// became of those before; what is late is sent at once, and its time counts from when it was due.
#pragma once

#include <cstdint>

#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {

class Pace {
 public:
  // So many messages a second in all.
  Pace(std::int64_t begin_ns, double per_second)
      : begin_(begin_ns), gap_(static_cast<double>(kSecond) / per_second) {}

  std::int64_t due(std::uint64_t number) const {
    return begin_ + static_cast<std::int64_t>(static_cast<double>(number) * gap_);
  }
  // Milliseconds for epoll_wait(2) until that message is due: rounded down, so that none is late.
  int wait_ms(std::uint64_t number) const {
    const std::int64_t left = due(number) - now_ns();
    return left <= 0 ? 0 : static_cast<int>(left / kMillisecond);
  }

 private:
  std::int64_t begin_;
  double gap_;
};

}  // namespace starbus::bench::gate
