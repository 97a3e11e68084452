/// The cubes that a search has seen, by their low corners: an open table without deletions. It is
/// not cleared between searches: entries carry the number of theirs. Owns its memory, and keeps it
/// for the next search; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "nav/volume/voxel.hpp"

namespace starbus::nav::volume {

class BlockTable {
 public:
  /// Instead of a number.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Entry {
    Block block;
    std::uint32_t head = kNone;    ///< for its user: the first label
    std::uint32_t beside = kNone;  ///< likewise: the first of its neighbours in a list
    std::uint32_t count = 0;       ///< likewise: how many those are
  };

  /// Forgets all of them.
  void start() {
    entries_.clear();
    if (slots_.empty()) slots_.resize(1024);
    if (++stamp_ == 0) {
      for (Slot& slot : slots_) slot.stamp = 0;
      stamp_ = 1;
    }
  }
  /// The number of a cube, which is new if it was not seen before.
  std::uint32_t find(const Block& block) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::uint64_t key = key_of(block);
    std::size_t at = place(key);
    while (slots_[at].stamp == stamp_) {
      if (slots_[at].key == key) return slots_[at].entry;
      at = (at + 1) & (slots_.size() - 1);
    }
    const auto number = static_cast<std::uint32_t>(entries_.size());
    slots_[at] = {key, number, stamp_};
    entries_.push_back({block});
    return number;
  }
  Entry& operator[](std::uint32_t number) { return entries_[number]; }
  const Entry& operator[](std::uint32_t number) const { return entries_[number]; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t entry = 0;
    std::uint32_t stamp = 0;
  };

  // The corner alone: cubes of one search do not overlap.
  static std::uint64_t key_of(const Block& block) {
    return std::uint64_t{block.low.x} << 32 | std::uint64_t{block.low.y} << 16 | block.low.z;
  }
  std::size_t place(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15) >> 20) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stamp != stamp_) continue;
      std::size_t at = place(slot.key);
      while (slots_[at].stamp == stamp_) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::uint32_t stamp_ = 0;
};

}  // namespace starbus::nav::volume
