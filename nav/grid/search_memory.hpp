/// What a search notes about cells. It is not cleared between searches: notes carry the number of
/// theirs. Owns its memory, and keeps it for the next search; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/cell.hpp"
#include "nav/grid/heap_queue.hpp"

namespace starbus::nav::grid {

/// What is known of a cell in the search of the stamp.
struct Node {
  std::uint32_t cost;   ///< the least found so far
  std::uint16_t stamp;  ///< of the search; one more once the cell is closed
  Direction arrival;    ///< of the last move on the way here; kNoDirection at the start
};

class SearchMemory {
 public:
  /// For a new search on a grid of so many places.
  void start(std::uint32_t places) {
    if (nodes_.size() < places) nodes_.resize(places);
    if (stamp_ >= kLastStamp) {
      for (Node& node : nodes_) node.stamp = 0;
      stamp_ = 0;
    }
    stamp_ = static_cast<std::uint16_t>(stamp_ + 2);
  }

  /// Of a cell that was seen; one more of a cell that is closed; lower of any other.
  std::uint16_t stamp() const { return stamp_; }
  Node* nodes() { return nodes_.data(); }
  const Node* nodes() const { return nodes_.data(); }
  /// Makes room for origins: where the jump to a cell began. For searches that jump.
  void start_origins() {
    if (origins_.size() < nodes_.size()) origins_.resize(nodes_.size());
  }
  Spot* origins() { return origins_.data(); }
  const Spot* origins() const { return origins_.data(); }

  BucketQueue buckets;
  HeapQueue heap;
  std::vector<Spot> line;  ///< of a breadth-first search, with what it has left
  std::size_t head = 0;    ///< of the line

 private:
  static constexpr std::uint16_t kLastStamp = 65'530;

  std::vector<Node> nodes_;
  std::vector<Spot> origins_;
  std::uint16_t stamp_ = 0;
};

}  // namespace starbus::nav::grid
