/// Prefetches a line of memory, so that many misses are waited for together. Pure hints.
///
/// A function that does nothing but prefetch has no effect in the eyes of GCC 12 at -O2, which
/// removes calls of it. An empty asm statement keeps them.
#pragma once

namespace starbus::aoi {

/// Any address will do, also one that is not mapped.
inline void prefetch_line(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");
}

/// The line will be written, too.
inline void prefetch_line_to_write(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}

}  // namespace starbus::aoi
