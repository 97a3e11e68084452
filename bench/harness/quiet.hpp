// How busy the rest of the machine was while something ran: other processes on the same cores make
// every figure worse, latencies above all.
#pragma once

#include <cstdint>

namespace starbus::bench {

class OtherWork {
 public:
  OtherWork();
  // The share of all cores' time, in percent, that processes other than this one and its children
  // have used since then. Children count once they have ended.
  double percent() const;

 private:
  std::int64_t begin_ns_;
  double busy_;
  double own_;
};

// Waits until others use no more than that for a second; a minute at most.
void wait_for_quiet(double percent);

}  // namespace starbus::bench
