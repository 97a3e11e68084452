#include "bench/harness/clock.hpp"

#include <sys/prctl.h>
#include <time.h>

namespace starbus::bench {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

void sleep_until_ns(std::int64_t when) {
  const timespec target{when / kSecond, when % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, nullptr) != 0) {
  }
}

void use_precise_timers() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

}  // namespace starbus::bench
