/// Where the timers of a wheel lie: blocks of 1,024 nodes that never move.
///
/// Owned by one wheel, used by its thread. A node is two cache lines: what the wheel compares, then
/// the callable. A block is mapped when all others are full and unmapped with the last node in it,
/// but for one that is kept, so that a wheel at the edge of a block does not map without end. Nodes
/// are taken from the lowest block with room: high blocks run empty.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <utility>
#include <vector>

#include "entity/timers/limits.hpp"

namespace starbus::entity {

class TimerOwner;
struct TimerFiring;

/// How a callable of some type that lies in a node is called and destroyed, and what it is.
struct TimerCallable {
  void (*call)(void* callable, const TimerFiring& firing);
  void (*destroy)(void* callable);  // null: nothing to do, and the second line is not touched
  const std::type_info* type;
};

/// A node that is never taken: whoever has no neighbour may write to it, and needs no branch.
inline constexpr std::uint32_t kNoTimer = 0;

/// Places in two lists. Apart from the nodes, because whoever leaves a list changes its neighbours:
/// of a million timers these are 16 MB and not 128.
struct TimerLinks {
  std::uint32_t previous;  // in the list of its slot; kNoTimer at the ends
  std::uint32_t next;
  std::uint32_t owner_previous;
  std::uint32_t owner_next;
};

struct alignas(64) TimerNode {
  std::uint64_t serial;   // of its TimerId; 0: fired or cancelled, no handle fits any more
  std::int64_t due;       // nanoseconds since the wheel's origin
  std::uint64_t tick;     // in which it fires: of `due`, or of the present if that is in the past
  std::int64_t interval;  // nanoseconds; 0: fires once
  TimerOwner* owner;
  const TimerCallable* callable;
  std::uint16_t slot;  // of the wheel: level * 256 + digit
  bool running;        // its callback is being called: in no slot
  bool catch_up_once;

  alignas(64) std::byte storage[64];
};
static_assert(sizeof(TimerNode) == 128);

/// Memory of the system, zero at first; a page costs nothing until it is touched.
class TimerPages {
 public:
  TimerPages() = default;
  explicit TimerPages(std::size_t bytes);
  ~TimerPages();
  TimerPages(TimerPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  TimerPages& operator=(TimerPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class TimerSlab {
 public:
  static constexpr std::uint32_t kBlock = 1024;  // nodes

  TimerSlab();

  TimerNode& operator[](std::uint32_t index) { return nodes_[index / kBlock][index % kBlock]; }
  const TimerNode& operator[](std::uint32_t index) const {
    return nodes_[index / kBlock][index % kBlock];
  }
  TimerLinks& links(std::uint32_t index) { return links_[index / kBlock][index % kBlock]; }
  const TimerLinks& links(std::uint32_t index) const {
    return links_[index / kBlock][index % kBlock];
  }
  /// Is there memory for this node? Its serial is 0 if it is not taken.
  bool has(std::uint32_t index) const {
    return index / kBlock < nodes_.size() && nodes_[index / kBlock] != nullptr;
  }

  /// The index of a node whose content is undefined; kNoTimer if kMaxTimers are taken.
  std::uint32_t take();
  /// Its serial must be 0.
  void give_back(std::uint32_t index);

  /// What the blocks take.
  std::size_t bytes() const { return present_ * kBlockBytes; }

 private:
  static constexpr std::size_t kMostBlocks = (kMaxTimers + 1) / kBlock;
  static constexpr std::size_t kBlockBytes = kBlock * (sizeof(TimerNode) + sizeof(TimerLinks));

  /// A set of numbers whose lowest is found in two steps.
  template <std::size_t kWords>
  class Bits {
   public:
    bool test(std::size_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
    bool empty() const { return summary_ == 0; }
    void set(std::size_t bit) {
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      summary_ |= std::uint64_t{1} << (bit / 64);
    }
    void reset(std::size_t bit) {
      words_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
      if (words_[bit / 64] == 0) summary_ &= ~(std::uint64_t{1} << (bit / 64));
    }
    void set_all() {
      words_.fill(~std::uint64_t{0});
      summary_ = ~std::uint64_t{0} >> (64 - kWords);
    }
    std::size_t lowest() const {
      const auto word = static_cast<std::size_t>(std::countr_zero(summary_));
      return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
    }

   private:
    static_assert(kWords <= 64);
    std::uint64_t summary_ = 0;  // of the words that are not 0
    std::array<std::uint64_t, kWords> words_{};
  };

  // What is free stands beside the nodes and not in them: taking one reads no cold memory.
  struct Block {
    TimerPages pages;
    std::uint32_t taken = 0;
    Bits<kBlock / 64> free;
  };

  bool open_block();

  std::vector<TimerNode*> nodes_;  // per block; null if it is not present
  std::vector<TimerLinks*> links_;
  std::vector<Block> blocks_;
  std::size_t present_ = 0;
  std::size_t empty_ = 0;        // present, with nothing taken
  Bits<kMostBlocks / 64> room_;  // blocks that are present and not full
};

}  // namespace starbus::entity
