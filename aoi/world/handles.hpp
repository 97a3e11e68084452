/// Gives out ids of one kind and says which are in use. A freed index rests in a queue (first
/// freed, first used again) for as many updates as the world's quarantine says, and at least until
/// the update after the one that reports its end. Belongs to the world's thread; owns its tables.
#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <vector>

#include "aoi/types.hpp"

namespace starbus::aoi {

class Handles {
 public:
  Handles(std::uint32_t most, std::uint32_t quarantine)
      : most_(most), quarantine_(quarantine), rows_(1) {}

  void reserve(std::size_t count) { rows_.reserve(count + 1); }
  /// Returns 0 if all indices are in use or resting.
  std::uint32_t allocate();
  /// The index that allocate() will give after `after` others if that one was used before; 0
  /// otherwise.
  std::uint32_t upcoming(std::size_t after) const {
    return after < ready_.size() ? ready_[after] : 0;
  }
  /// Makes valid() return false, although the row is still in use.
  void retire(std::uint32_t index) {
    assert(index != 0 && index < rows_.size());
    rows_[index] &= kGeneration;
  }
  /// The row is no longer in use.
  void free(std::uint32_t index, std::uint64_t update);
  /// Makes indices available that have rested long enough.
  void advance(std::uint64_t update);

  /// Whether the id is in use.
  bool valid(std::uint32_t value) const {
    const std::uint32_t index = value & Id<void>::kIndexMask;
    return index < rows_.size() && rows_[index] == (kValid | value >> Id<void>::kIndexBits);
  }
  /// The id that this index has, or had last.
  std::uint32_t value(std::uint32_t index) const {
    return (rows_[index] & std::uint32_t{kGeneration}) << Id<void>::kIndexBits | index;
  }
  /// How many ids are given out and not freed.
  std::size_t in_use() const { return rows_.size() - 1 - resting_.size() - ready_.size(); }
  /// One more than the largest index so far.
  std::size_t size() const { return rows_.size(); }
  std::uint64_t memory() const {
    return rows_.capacity() * sizeof(std::uint16_t) + resting_.size() * sizeof(Resting) +
           ready_.size() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint16_t kGeneration = (1u << (32 - Id<void>::kIndexBits)) - 1;
  static constexpr std::uint16_t kValid = kGeneration + 1;
  struct Resting {
    std::uint32_t index;
    std::uint64_t until;
  };
  std::uint32_t most_;
  std::uint32_t quarantine_;
  std::vector<std::uint16_t> rows_;  ///< by index: its generation, and kValid
  std::deque<Resting> resting_;
  std::deque<std::uint32_t> ready_;
};

}  // namespace starbus::aoi
