/// What a search notes about cells. It is not cleared between searches: notes carry the number of
/// theirs. Owns its memory, and keeps it for the next search; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/cell.hpp"
#include "nav/grid/heap_queue.hpp"

namespace starbus::nav::grid {

/// What is known of a cell in one search. In whole words: stores of bytes may mean any object, so
/// that a compiler would read everything again after each.
struct Node {
  std::uint32_t cost = 0;  ///< the least found so far
  std::uint32_t tag = 0;   ///< the search's number, and in the low 8 bits the last move on the way

  /// The search that this was noted in; one more once the cell is closed.
  std::uint32_t stamp() const { return tag >> 8; }
  /// Of the last move on the way here; kNoDirection at the start.
  Direction arrival() const { return static_cast<Direction>(tag & 0xff); }
  void close() { tag += 1u << 8; }
  static std::uint32_t tag_of(std::uint32_t stamp, Direction arrival) {
    return stamp << 8 | arrival;
  }

  /// Whether a way at this cost is no better than what the search of the stamp knows: closed cells
  /// have the least cost that there is. One comparison, since it cannot be foreseen.
  bool knows(std::uint32_t open, std::uint32_t other) const {
    return (stamp() >= open ? cost : std::numeric_limits<std::uint32_t>::max()) <= other;
  }
};

/// The same of a search that jumps.
struct JumpNode : Node {
  Spot origin = 0;  ///< where the jump to the cell began
};

class SearchMemory {
 public:
  /// For a new search on a grid of so many places, by jumps or by steps.
  void start(std::uint32_t places, bool jumps) {
    if (jumps) {
      if (jump_nodes_.size() < places) jump_nodes_.resize(places);
    } else {
      if (nodes_.size() < places) nodes_.resize(places);
    }
    if (stamp_ >= kLastStamp) {
      for (Node& node : nodes_) node.tag = 0;
      for (JumpNode& node : jump_nodes_) node.tag = 0;
      stamp_ = 0;
    }
    stamp_ += 2;
  }

  /// Of a cell that was seen; one more of a cell that is closed; lower of any other.
  std::uint32_t stamp() const { return stamp_; }
  Node* nodes() { return nodes_.data(); }
  const Node* nodes() const { return nodes_.data(); }
  JumpNode* jump_nodes() { return jump_nodes_.data(); }
  const JumpNode* jump_nodes() const { return jump_nodes_.data(); }

  BucketQueue buckets;
  HeapQueue heap;
  std::vector<Spot> line;  ///< of a breadth-first search, with what it has left
  std::size_t head = 0;    ///< of the line
  /// By which cells were reached, in that order: numbers among LayerLinks::legs().
  std::vector<std::uint32_t> legs;

 private:
  static constexpr std::uint32_t kLastStamp = (1u << 24) - 4;

  std::vector<Node> nodes_;
  std::vector<JumpNode> jump_nodes_;
  std::uint32_t stamp_ = 0;
};

}  // namespace starbus::nav::grid
