/// Asks for a line of memory ahead of its use, so that many are waited for together.
///
/// Compilers take a function that does nothing but prefetch for one without any effect, and leave
/// calls of it out (GCC 12, -O2). An empty statement that they may not leave out keeps them.
#pragma once

namespace starbus::aoi {

inline void prefetch_line(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");
}

/// It will be written, too.
inline void prefetch_line_to_write(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}

}  // namespace starbus::aoi
