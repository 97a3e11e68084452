#include "entity/timers/timer_pool.hpp"

#include <sys/mman.h>

#include <cassert>
#include <cstdint>
#include <new>
#include <utility>

namespace starbus::entity {
namespace {

constexpr std::size_t kHugePage = 2 * 1024 * 1024;

}  // namespace

TimerPages::TimerPages(std::size_t bytes) : bytes_(bytes + kHugePage) {
  // Without access, so that unopened memory does not count for limits.
  mapping_ = ::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapping_);
  data_ += -reinterpret_cast<std::uintptr_t>(mapping_) % kHugePage;
  // A system without huge pages refuses, and is only slower.
  if (bytes > kHugePage) ::madvise(data_ + kHugePage, bytes - kHugePage, MADV_HUGEPAGE);
}

TimerPages::~TimerPages() {
  ::munmap(mapping_, bytes_);
}

void TimerPages::open(std::size_t offset, std::size_t bytes) {
  if (::mprotect(data_ + offset, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

void TimerPages::release(std::size_t offset, std::size_t bytes) {
  [[maybe_unused]] const int done = ::madvise(data_ + offset, bytes, MADV_DONTNEED);
  assert(done == 0);
}

TimerPool::TimerPool(std::initializer_list<std::size_t> sizes) {
  for (const std::size_t size : sizes) {
    tables_.emplace_back(size);
    size_ += size;
  }
  const std::uint32_t none = take();
  assert(none == 0);
  static_cast<void>(none);
}

std::uint32_t TimerPool::take() {
  if (room_.empty() && !open_region()) return 0;
  const std::size_t number = room_.lowest();
  Block& block = blocks_[number];
  const std::size_t within = block.free.lowest();
  block.free.reset(within);
  if (++block.taken == kBlock) room_.reset(number);
  if (!std::exchange(block.touched, true)) ++touched_;
  if (regions_[number / kRegionBlocks].taken++ == 0) --empty_;
  return static_cast<std::uint32_t>(number * kBlock + within);
}

void TimerPool::give_back(std::uint32_t place) {
  const std::size_t number = place / kBlock;
  Block& block = blocks_[number];
  assert(place != 0 && !block.free.test(place % kBlock));
  block.free.set(place % kBlock);
  room_.set(number);
  --block.taken;
  if (--regions_[number / kRegionBlocks].taken > 0) return;
  if (++empty_ > 1) release_region(number / kRegionBlocks);
}

void TimerPool::map_region() {
  const std::size_t number = regions_.size();
  for (Table& table : tables_) {
    table.pages.open(number * kRegion * table.size, kRegion * table.size);
  }
  blocks_.resize((number + 1) * kRegionBlocks);
  regions_.emplace_back();
}

bool TimerPool::open_region() {
  std::size_t number = 0;
  while (number < regions_.size() && regions_[number].open) ++number;
  if (number == kMostRegions) return false;
  if (number == regions_.size()) map_region();
  regions_[number].open = true;
  ++empty_;
  for (std::size_t at = number * kRegionBlocks; at < (number + 1) * kRegionBlocks; ++at) {
    blocks_[at].free.set_all();
    room_.set(at);
  }
  return true;
}

void TimerPool::release_region(std::size_t number) {
  for (Table& table : tables_) {
    table.pages.release(number * kRegion * table.size, kRegion * table.size);
  }
  regions_[number].open = false;
  --empty_;
  for (std::size_t at = number * kRegionBlocks; at < (number + 1) * kRegionBlocks; ++at) {
    if (std::exchange(blocks_[at].touched, false)) --touched_;
    room_.reset(at);
  }
}

}  // namespace starbus::entity
