/// The open list of searches with a trusted estimate, whose costs may fall below what was popped: a
/// binary heap in the order of BucketQueue. Owns its memory, and keeps it; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nav/grid/cell.hpp"

namespace starbus::nav::grid {

class HeapQueue {
 public:
  /// Forgets all that is open.
  void start(std::uint32_t) {
    heap_.clear();
    pushed_ = 0;
  }
  /// Opens a cell at a cost.
  void push(std::uint64_t cost, Spot spot) {
    heap_.push_back({cost, ++pushed_, spot});
    std::push_heap(heap_.begin(), heap_.end(), after);
  }
  /// The next one, and its cost; false if nothing is open.
  bool pop(std::uint64_t& cost, Spot& spot) {
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end(), after);
    cost = heap_.back().cost;
    spot = heap_.back().spot;
    heap_.pop_back();
    return true;
  }

 private:
  struct Entry {
    std::uint64_t cost;
    std::uint64_t number;  ///< of its push
    Spot spot;
  };
  static bool after(const Entry& a, const Entry& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.number < b.number;
  }

  std::vector<Entry> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace starbus::nav::grid
