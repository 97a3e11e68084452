/// What all cases of bench_nav measure with.
#pragma once

#include <time.h>

#include <stdexcept>

namespace starbus::bench::nav {

/// ns of processor time of this thread.
inline double cpu_ns() {
  timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) * 1e9 + static_cast<double>(at.tv_nsec);
}

/// What is measured must not fail: throws, which ends the run.
inline void must(bool done) {
  if (!done) throw std::runtime_error("something failed that must not");
}

}  // namespace starbus::bench::nav
