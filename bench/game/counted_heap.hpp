#pragma once

#include <cstdint>

namespace starbus::bench {

// What operator new has given to this program, which counts it (counted_heap.cpp). One thread.
struct Heap {
  std::int64_t bytes = 0;        // that are in use, as the allocator rounds them
  std::int64_t allocations = 0;  // since the start
};
const Heap& heap();

}  // namespace starbus::bench
