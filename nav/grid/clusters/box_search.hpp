/// BoxSearch: what ways from one cell of a box to all others cost, as if nothing lay around the
/// box. It copies what it needs of the layer, so that many searches in one box read memory that the
/// processor has at hand. Owns its memory and keeps it for the next box; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/layer.hpp"

namespace starbus::nav::grid {

class BoxSearch {
 public:
  /// Instead of a cost: there is no way.
  static constexpr std::uint32_t kNoWay = std::numeric_limits<std::uint32_t>::max();

  /// Copies a box, which must lie within the grid. The layer must live until the next load().
  void load(const Layer& layer, const CellBox& box);
  const CellBox& box() const { return box_; }

  /// Begins a search from a cell of the box: to all others, or, backwards, from all others to it.
  void spread(Spot from, bool backwards);
  /// Expands up to `budget` cells, and takes what it has expanded off; true if the search has
  /// ended.
  bool run(std::uint32_t& budget);

  /// The cost between the first cell and another one of the box; kNoWay if none was found.
  std::uint32_t cost(Spot at) const { return costs_[index(at)]; }
  /// Gives each cell of the box that can be passed the number, from 1, of those that it is joined
  /// with in the box: a cell keeps it until the next load().
  void label();
  /// From label(); 0 if the cell cannot be passed.
  std::uint16_t label_of(Spot at) const { return labels_[index(at)]; }

 private:
  std::uint32_t index(Spot at) const {
    const Spot within = at - corner_;
    return (within >> 16) << shift_ | (within & 0xffff);
  }
  template <bool kUniform, bool kBackwards>
  bool run_as(std::uint32_t& budget);

  const Layer* layer_ = nullptr;
  CellBox box_;
  Spot corner_ = 0;
  unsigned shift_ = 0;  ///< rows lie 1 << shift_ apart
  bool uniform_ = true;
  bool backwards_ = false;
  std::vector<Mask> moves_;
  std::vector<Mask> around_;           ///< of uniform layers: neighbours within the box
  std::vector<std::uint8_t> factors_;  ///< of others: what entering a cell costs, times
  std::vector<std::uint32_t> costs_;
  std::vector<Direction> arrivals_;
  std::vector<std::uint16_t> labels_;
  std::vector<std::uint32_t> pending_;
  BucketQueue queue_;
};

}  // namespace starbus::nav::grid
