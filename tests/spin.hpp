/// Work that takes a known time of the processor, for tests of who is charged with it.
#pragma once

#include <time.h>

#include <chrono>

namespace starbus::test {

inline std::chrono::nanoseconds thread_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}
inline void spin(std::chrono::milliseconds time) {
  const auto begun = thread_time();
  while (thread_time() - begun < time) {
  }
}

}  // namespace starbus::test
