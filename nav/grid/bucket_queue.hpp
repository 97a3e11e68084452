/// The open list of searches with whole costs: the lowest cost first, and among equals what was
/// pushed last. A bucket for each cost of a window, and a list of what lies beyond it, which is
/// dealt out when the window is empty; so a push and a pop cost the same however much is open.
/// Costs that are pushed may not lie below the last one popped. Owns its memory, and keeps it for
/// the next search; one thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "nav/grid/cell.hpp"

namespace starbus::nav::grid {

class BucketQueue {
 public:
  BucketQueue() : heads_(kWindow) {}

  /// Forgets all that is open; costs begin at `least` from now on.
  void start(std::uint32_t least) {
    filled_.fill(0);
    summary_.fill(0);
    base_ = least;
    at_ = 0;
    used_ = 0;
    free_ = kNone;
    beyond_.clear();
  }

  /// Opens a cell at a cost.
  void push(std::uint32_t cost, Spot spot) {
    const std::uint32_t bucket = cost - base_;
    if (bucket >= kWindow) [[unlikely]] {
      beyond_.push_back({cost, spot});
      return;
    }
    put(bucket, spot);
  }

  /// The next one, and its cost; false if nothing is open.
  bool pop(std::uint32_t& cost, Spot& spot) {
    if (!seek()) return false;
    const std::uint32_t bucket = at_;
    const std::uint32_t entry = heads_[bucket];
    Entry& it = entries_[entry];
    spot = it.spot;
    cost = base_ + bucket;
    if (it.next == kNone) {
      filled_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
      if (filled_[bucket / 64] == 0) {
        summary_[bucket / 4096] &= ~(std::uint64_t{1} << bucket / 64 % 64);
      }
    } else {
      heads_[bucket] = it.next;
    }
    it.next = free_;
    free_ = entry;
    return true;
  }

 private:
  static constexpr std::uint32_t kWindow = 16'384;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Entry {
    Spot spot;
    std::uint32_t next;  ///< in its bucket, or among free ones
  };
  struct Beyond {
    std::uint32_t cost;
    Spot spot;
  };

  void put(std::uint32_t bucket, Spot spot) {
    std::uint64_t& word = filled_[bucket / 64];
    const std::uint64_t bit = std::uint64_t{1} << bucket % 64;
    std::uint32_t next = kNone;
    if ((word & bit) != 0) {
      next = heads_[bucket];
    } else {
      word |= bit;
      summary_[bucket / 4096] |= std::uint64_t{1} << bucket / 64 % 64;
    }
    std::uint32_t entry = free_;
    if (entry != kNone) {
      free_ = entries_[entry].next;
    } else {
      entry = used_++;
      if (entry == entries_.size()) [[unlikely]]
        entries_.resize(entries_.size() * 2 + 1024);
    }
    entries_[entry] = {spot, next};
    heads_[bucket] = entry;
  }

  // Moves at_ to the lowest bucket that is not empty.
  bool seek() {
    const std::uint64_t here = filled_[at_ / 64] >> at_ % 64;
    if (here != 0) [[likely]] {
      at_ += static_cast<std::uint32_t>(std::countr_zero(here));
      return true;
    }
    std::uint32_t word = at_ / 64 + 1;
    while (word < kWindow / 64) {
      const std::uint64_t words = summary_[word / 64] >> word % 64;
      if (words != 0) {
        word += static_cast<std::uint32_t>(std::countr_zero(words));
        at_ = word * 64 + static_cast<std::uint32_t>(std::countr_zero(filled_[word]));
        return true;
      }
      word = (word / 64 + 1) * 64;
    }
    return deal();
  }

  // The window moves to the lowest cost beyond it. In the order in which they were pushed, so that
  // among equals the last is on top again.
  bool deal() {
    if (beyond_.empty()) return false;
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (const Beyond& one : beyond_) least = std::min(least, one.cost);
    base_ = least;
    at_ = 0;
    std::size_t kept = 0;
    for (const Beyond& one : beyond_) {
      if (one.cost - base_ < kWindow) {
        put(one.cost - base_, one.spot);
      } else {
        beyond_[kept++] = one;
      }
    }
    beyond_.resize(kept);
    return true;
  }

  std::uint32_t base_ = 0;  ///< cost of the first bucket
  std::uint32_t at_ = 0;    ///< no bucket below it is filled
  std::uint32_t used_ = 0;  ///< entries that were ever taken since start()
  std::uint32_t free_ = kNone;
  std::array<std::uint64_t, kWindow / 64> filled_ = {};     ///< a bit for each bucket
  std::array<std::uint64_t, kWindow / 4096> summary_ = {};  ///< a bit for each word of filled_
  std::vector<std::uint32_t> heads_;                        ///< of filled buckets only
  std::vector<Entry> entries_;
  std::vector<Beyond> beyond_;
};

}  // namespace starbus::nav::grid
