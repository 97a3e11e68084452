/// Where the timers of a wheel lie: a table of nodes that never move, in blocks of 1,024.
///
/// Owned by one wheel, used by its thread. A node is two cache lines: what the wheel compares, then
/// the callable. Nodes are taken from the lowest block with room, so high blocks run empty; memory
/// comes and goes in regions of 16 blocks, of which one that is empty is kept, so that a wheel at
/// the edge of a region does not map without end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
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

/// Addresses for a table that may become large; pages of it are opened, and released, one after the
/// other. What is opened is zero, and costs nothing until it is touched. Behind the first huge page
/// (2 MiB) the system is asked for huge ones: of a million timers that are called in any order,
/// each would need an entry of the TLB that is not there.
class TimerPages {
 public:
  explicit TimerPages(std::size_t bytes);
  ~TimerPages();
  TimerPages(const TimerPages&) = delete;
  TimerPages& operator=(const TimerPages&) = delete;

  std::byte* data() const { return data_; }
  /// Throws std::bad_alloc. `offset` and `bytes` are multiples of a page, as in release().
  void open(std::size_t offset, std::size_t bytes);
  /// The content is gone; reads as zero.
  void release(std::size_t offset, std::size_t bytes);

 private:
  void* mapping_;
  std::size_t bytes_;  // of the mapping
  std::byte* data_;    // in it, at the bound of a huge page
};

class TimerSlab {
 public:
  static constexpr std::uint32_t kBlock = 1024;  // nodes

  TimerSlab();

  TimerNode& operator[](std::uint32_t index) { return nodes_[index]; }
  const TimerNode& operator[](std::uint32_t index) const { return nodes_[index]; }
  TimerLinks& links(std::uint32_t index) { return links_[index]; }
  const TimerLinks& links(std::uint32_t index) const { return links_[index]; }
  /// Is there memory for this node? Its serial is 0 if it is not taken.
  bool has(std::uint32_t index) const { return index / kRegion < regions_.size(); }

  /// The index of a node whose content is undefined; kNoTimer if kMaxTimers are taken.
  std::uint32_t take();
  /// Its serial must be 0.
  void give_back(std::uint32_t index);

  /// What the blocks take that were touched since the memory below them came.
  std::size_t bytes() const { return touched_ * kBlock * (sizeof(TimerNode) + sizeof(TimerLinks)); }

 private:
  static constexpr std::uint32_t kRegionBlocks = 16;
  static constexpr std::uint32_t kRegion = kRegionBlocks * kBlock;  // nodes: 2 MiB, a huge page
  static constexpr std::size_t kMostBlocks = (kMaxTimers + 1) / kBlock;
  static constexpr std::size_t kMostRegions = kMostBlocks / kRegionBlocks;

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
    std::uint32_t taken = 0;
    bool touched = false;
    Bits<kBlock / 64> free;
  };
  struct Region {
    std::uint32_t taken = 0;
    bool open = false;
  };

  bool open_region();
  void release_region(std::size_t number);

  TimerPages node_pages_;
  TimerPages link_pages_;
  TimerNode* nodes_;
  TimerLinks* links_;
  std::vector<Block> blocks_;
  std::vector<Region> regions_;
  std::size_t touched_ = 0;      // blocks
  std::size_t empty_ = 0;        // open regions with nothing taken
  Bits<kMostBlocks / 64> room_;  // blocks of open regions that are not full
};

}  // namespace starbus::entity
