#include "entity/timers/timer_slots.hpp"

#include <cassert>

namespace starbus::entity {

TimerSlots::TimerSlots() {
  live_[kNone] = 1U << (kPerChunk - 1);
}

std::uint32_t TimerSlots::append(std::size_t slot, std::uint32_t timer) {
  std::uint32_t chunk = lists_[slot].last;
  auto at = static_cast<std::uint32_t>(std::bit_width(live_[chunk]));
  if (at == kPerChunk) {
    chunk = add_chunk(slot);
    at = 0;
  }
  chunks_[chunk].timers[at] = timer;
  live_[chunk] = static_cast<Live>(live_[chunk] | 1U << at);
  return chunk * kPlaces + at;
}

void TimerSlots::remove(std::uint32_t place) {
  const std::uint32_t chunk = place / kPlaces;
  const std::uint32_t bit = 1U << (place % kPlaces);
  assert((live_[chunk] & bit) != 0);
  live_[chunk] = static_cast<Live>(live_[chunk] & ~bit);
  if (live_[chunk] == 0) free_chunk(chunk);
}

std::uint32_t TimerSlots::ahead(std::size_t slot) const {
  std::uint32_t chunk = lists_[slot].first;
  __builtin_prefetch(&chunks_[chunks_[chunk].next]);
  std::uint32_t live = live_[chunk];
  for (int i = 0; i < kAhead; ++i) {
    live &= live - 1;
    if (live != 0) continue;
    chunk = chunks_[chunk].next;
    live = live_[chunk];
  }
  return chunks_[chunk].timers[static_cast<std::size_t>(std::countr_zero(live))];
}

std::optional<std::size_t> TimerSlots::occupied_above(std::size_t level, std::size_t digit) const {
  constexpr std::size_t kWords = kSlots / 64;
  if (digit + 1 == kSlots) return std::nullopt;
  for (std::size_t word = (digit + 1) / 64; word < kWords; ++word) {
    std::uint64_t bits = occupied_[level * kWords + word];
    if (word == (digit + 1) / 64) bits &= ~std::uint64_t{0} << ((digit + 1) % 64);
    if (bits != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }
  return std::nullopt;
}

std::uint32_t TimerSlots::add_chunk(std::size_t slot) {
  const std::uint32_t number = pool_.take();
  assert(number != kNone);
  List& list = lists_[slot];
  Chunk& chunk = chunks_[number];
  chunk.previous = list.last;
  chunk.next = kNone;
  chunk.slot = static_cast<std::uint16_t>(slot);
  live_[number] = 0;
  (list.last == kNone ? list.first : chunks_[list.last].next) = number;
  list.last = number;
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  return number;
}

void TimerSlots::free_chunk(std::uint32_t number) {
  const Chunk& chunk = chunks_[number];
  List& list = lists_[chunk.slot];
  (chunk.previous == kNone ? list.first : chunks_[chunk.previous].next) = chunk.next;
  (chunk.next == kNone ? list.last : chunks_[chunk.next].previous) = chunk.previous;
  if (list.first == kNone) occupied_[chunk.slot / 64] &= ~(std::uint64_t{1} << (chunk.slot % 64));
  pool_.give_back(number);
}

}  // namespace starbus::entity
