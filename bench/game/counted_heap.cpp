// In a file of its own: where g++ sees both through, it warns of memory of malloc that delete
// frees.
#include "bench/game/counted_heap.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace starbus::bench {
namespace {

Heap g_heap;  // NOLINT: what operator new counts

}  // namespace

const Heap& heap() {
  return g_heap;
}

}  // namespace starbus::bench

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  starbus::bench::g_heap.bytes += static_cast<std::int64_t>(::malloc_usable_size(memory));
  ++starbus::bench::g_heap.allocations;
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  starbus::bench::g_heap.bytes -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
