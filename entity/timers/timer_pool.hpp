/// Numbered places whose memory comes and goes, for the many small objects of a wheel.
///
/// Owned by one slab or one wheel's slots, used by the wheel's thread. Places are in blocks of
/// 1,024; taken is the lowest block with room, so high blocks run empty; memory comes and goes in
/// regions of 16 blocks, of which one that is empty is kept, so that a wheel at the edge of a
/// region does not map without end. Lack of memory is std::bad_alloc, and then nothing has
/// happened.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "entity/timers/limits.hpp"

namespace starbus::entity {

/// Addresses for a table that may become large; pages of it are opened, and released, one after the
/// other. Opened memory is zero, and costs nothing until it is touched. After the first huge page
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

class TimerPool {
 public:
  static constexpr std::uint32_t kBlock = 1024;  // places

  /// Tables with an element for each place, of these sizes in bytes. Place 0 is taken for ever: its
  /// number stands for none.
  explicit TimerPool(std::initializer_list<std::size_t> sizes);

  /// Where elements are; they stay there.
  template <class Element>
  Element* table(std::size_t number) const {
    return reinterpret_cast<Element*>(tables_[number].pages.data());
  }
  /// Is there memory for this place?
  bool has(std::uint32_t place) const { return place / kRegion < regions_.size(); }

  /// A place whose elements have any content, which is zero if it was never taken; 0 if all of
  /// kMaxTimers are taken. Cannot throw while fewer are taken than reserve() was called for.
  std::uint32_t take();
  void give_back(std::uint32_t place);

  /// Regions with memory, whether anything is taken there or not.
  std::size_t regions() const { return regions_.size(); }
  /// Memory for that many regions, or for all that there can be.
  void reserve(std::size_t regions) {
    while (regions_.size() < regions && regions_.size() < kMostRegions) map_region();
  }
  /// Bytes of the blocks that were touched since their memory was opened.
  std::size_t bytes() const { return touched_ * kBlock * size_; }

 private:
  static constexpr std::uint32_t kRegionBlocks = 16;
  static constexpr std::uint32_t kRegion = kRegionBlocks * kBlock;  // of nodes: 2 MiB, a huge page
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

  struct Table {
    explicit Table(std::size_t bytes) : size(bytes), pages((kMaxTimers + 1) * bytes) {}
    std::size_t size;  // of an element
    TimerPages pages;
  };
  // Free places are listed beside the elements, not in them: taking one reads no cold memory.
  struct Block {
    std::uint32_t taken = 0;
    bool touched = false;
    Bits<kBlock / 64> free;
  };
  struct Region {
    std::uint32_t taken = 0;
    bool open = false;
  };

  void map_region();
  bool open_region();
  void release_region(std::size_t number);

  std::deque<Table> tables_;
  std::size_t size_ = 0;  // of an element of each
  std::vector<Block> blocks_;
  std::vector<Region> regions_;
  std::size_t touched_ = 0;      // blocks
  std::size_t empty_ = 0;        // open regions with nothing taken
  Bits<kMostBlocks / 64> room_;  // blocks of open regions that are not full
};

}  // namespace starbus::entity
