#include "entity/timers/timer_slab.hpp"

#include <sys/mman.h>

#include <cassert>
#include <new>

namespace starbus::entity {

TimerPages::TimerPages(std::size_t bytes) : bytes_(bytes) {
  data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

TimerPages::~TimerPages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

TimerSlab::TimerSlab() {
  open_block();
  const std::uint32_t nobody = take();
  assert(nobody == kNoTimer);
  static_cast<void>(nobody);
}

std::uint32_t TimerSlab::take() {
  if (room_.empty() && !open_block()) return kNoTimer;
  const std::size_t number = room_.lowest();
  Block& block = blocks_[number];
  const std::size_t within = block.free.lowest();
  block.free.reset(within);
  if (block.taken++ == 0) --empty_;
  if (block.taken == kBlock) room_.reset(number);
  return static_cast<std::uint32_t>(number * kBlock + within);
}

void TimerSlab::give_back(std::uint32_t index) {
  const std::size_t number = index / kBlock;
  Block& block = blocks_[number];
  assert(index != kNoTimer && !block.free.test(index % kBlock));
  block.free.set(index % kBlock);
  room_.set(number);
  if (--block.taken > 0) return;
  if (++empty_ == 1) return;
  room_.reset(number);
  nodes_[number] = nullptr;
  links_[number] = nullptr;
  block.pages = TimerPages();
  --present_;
  --empty_;
}

bool TimerSlab::open_block() {
  std::size_t number = 0;
  while (number < nodes_.size() && nodes_[number] != nullptr) ++number;
  if (number == kMostBlocks) return false;
  TimerPages pages(kBlockBytes);
  if (number == blocks_.size()) {
    nodes_.push_back(nullptr);
    links_.push_back(nullptr);
    blocks_.emplace_back();
  }
  Block& block = blocks_[number];
  block.pages = std::move(pages);
  nodes_[number] = static_cast<TimerNode*>(block.pages.data());
  links_[number] = reinterpret_cast<TimerLinks*>(nodes_[number] + kBlock);
  block.free.set_all();
  room_.set(number);
  ++present_;
  ++empty_;
  return true;
}

}  // namespace starbus::entity
