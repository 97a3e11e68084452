/// The 16-bit numbers by which one observer's client knows the targets it sees. Dense: the smallest
/// number that is free and has rested is given next. A freed number rests for the world's
/// quarantine, so that a packet under way cannot meet its successor. Numbers begin at 1. Belongs to
/// the world's thread; owns its memory.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace starbus::aoi {

class WireIndices {
 public:
  /// Returns 0 if all are in use or resting.
  std::uint16_t take(std::uint64_t update);
  void give_back(std::uint16_t index, std::uint64_t update, std::uint32_t quarantine);
  std::uint64_t memory() const {
    return resting_.size() * sizeof(Resting) + free_.capacity() * sizeof(std::uint16_t);
  }

 private:
  struct Resting {
    std::uint16_t index;
    std::uint64_t until;
  };
  std::uint32_t next_ = 1;           ///< the smallest that was never given
  std::deque<Resting> resting_;      ///< first given back, first free
  std::vector<std::uint16_t> free_;  ///< a heap, the smallest on top
};

}  // namespace starbus::aoi
