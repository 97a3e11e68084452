/// The slots of a wheel: in each, timers in the order in which they were put there.
///
/// A slot is a list of chunks of a cache line, each with up to 13 timers, and a word of bits: which
/// of them are there. So adding or removing one touches no neighbours, which are cold memory, and a
/// walk can prefetch. A timer that leaves from between others leaves a gap, until its chunk
/// has none any more and is freed. Owned by one wheel, used by its thread. Nothing fails once
/// reserve() has not.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "entity/timers/timer_pool.hpp"

namespace starbus::entity {

class TimerSlots {
 public:
  static constexpr std::size_t kLevels = 6;  // 2^48 ms: more than the nanoseconds of 63 bits
  /// Slots of a level.
  static constexpr std::size_t kSlots = 256;
  /// A slot besides those of the levels, which no time reaches: for paused timers.
  static constexpr std::size_t kPaused = kLevels * kSlots;
  static constexpr std::uint32_t kPerChunk = 13;  // timers

  TimerSlots();

  /// Memory for as many timers as are in that many regions of nodes, were each in a chunk of its
  /// own. Throws std::bad_alloc.
  void reserve(std::size_t regions) { pool_.reserve(regions); }

  /// `slot` is level * kSlots + digit, or kPaused. The result is its place, never 0.
  std::uint32_t append(std::size_t slot, std::uint32_t timer);
  void remove(std::uint32_t place);

  bool empty(std::size_t slot) const { return lists_[slot].first == kNone; }
  /// 0 if it is empty.
  std::uint32_t first(std::size_t slot) const { return lowest(lists_[slot].first); }
  /// The timer some places after the first, or 0: for prefetching.
  std::uint32_t ahead(std::size_t slot) const;
  /// The lowest digit above this one whose slot at that level is not empty.
  std::optional<std::size_t> occupied_above(std::size_t level, std::size_t digit) const;

  std::size_t bytes() const { return pool_.bytes(); }

 private:
  static constexpr std::uint32_t kNone = 0;  // a chunk that is full, and of which each timer is 0
  static constexpr std::uint32_t kPlaces = 16;  // numbers of places per chunk
  static constexpr int kAhead = 4;              // so many misses of the cache at a time

  struct alignas(64) Chunk {
    std::uint32_t previous;
    std::uint32_t next;
    std::uint16_t slot;
    std::array<std::uint32_t, kPerChunk> timers;
  };
  static_assert(sizeof(Chunk) == 64);
  // A bit per timer of a chunk; the highest is of the one that came last. Apart from the chunks: of
  // a million timers these are 150 kB, which stay in the cache.
  using Live = std::uint16_t;
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  std::uint32_t lowest(std::uint32_t chunk) const {
    return chunks_[chunk].timers[static_cast<std::size_t>(std::countr_zero(live_[chunk]))];
  }
  std::uint32_t add_chunk(std::size_t slot);
  void free_chunk(std::uint32_t number);

  TimerPool pool_{sizeof(Chunk), sizeof(Live)};
  Chunk* chunks_ = pool_.table<Chunk>(0);
  Live* live_ = pool_.table<Live>(1);
  std::array<List, kPaused + 1> lists_{};
  std::array<std::uint64_t, kPaused / 64 + 1> occupied_{};  // a bit per slot
};

}  // namespace starbus::entity
