/// The lease under which a process owns its names. busroot renews it: its echoes of this host's
/// heartbeats prove that it heard from this host at some time. When the lease ends, busroot may
/// give the names to others, so the process stops to accept. Times are the process' own clock.
#pragma once

#include <algorithm>

#include "bus/core/lanes.hpp"
#include "bus/core/limits.hpp"

namespace starbus::bus {

/// A plain value of the process' thread.
class Lease {
 public:
  /// busroot's length, less a margin for clocks that differ: kLeaseMargin, at most a quarter.
  void set_length(Time length) { length_ = length - std::min<Time>(kLeaseMargin, length / 4); }
  /// The first name was granted: there is something to lose. `heard`: busroot heard from this host
  /// then, or later. Does nothing if the lease has begun.
  void begin(Time heard) {
    if (!begun()) heard_ = heard;
  }
  void renew(Time heard) {
    if (begun()) heard_ = std::max(heard_, heard);
  }
  void end() { heard_ = {}; }

  bool begun() const { return heard_ != Time{}; }
  bool has_ended(Time now) const { return begun() && now - heard_ > length_; }

 private:
  Time length_ = kLease - kLeaseMargin;
  Time heard_{};  // 0: there is nothing to lose
};

}  // namespace starbus::bus
