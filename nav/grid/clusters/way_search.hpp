/// WaySearch: the cheapest way from one cell to another within a box of a layer, as if nothing lay
/// around the box. It looks at no more of the layer than it expands. Owns its memory, which is that
/// of the largest box, and keeps it; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/clusters/level.hpp"
#include "nav/grid/layer.hpp"
#include "nav/grid/search_memory.hpp"

namespace starbus::nav::grid {

class WaySearch {
 public:
  /// Instead of a cost: there is no way.
  static constexpr std::uint32_t kNoWay = std::numeric_limits<std::uint32_t>::max();

  /// Both cells lie in the box, and the box within the grid. The layer must not change meanwhile.
  void start(const Layer& layer, const CellBox& box, Spot from, Spot to);
  /// Expands up to `budget` cells, and takes what it has expanded off; true if it has ended.
  bool run(std::uint32_t& budget);

  /// After the end; kNoWay if there is no way.
  std::uint32_t cost() const { return cost_; }
  /// Appends the cells of the way, without the first one.
  void append_way(std::vector<Cell>& out) const;

 private:
  template <bool kUniform>
  bool run_as(std::uint32_t& budget);
  std::uint32_t index(Spot at) const {
    const Spot within = at - corner_;
    return (within >> 16) << shift_ | (within & 0xffff);
  }

  const Layer* layer_ = nullptr;
  CellBox box_;
  Spot corner_ = 0;
  unsigned shift_ = 0;  ///< rows lie 1 << shift_ apart
  Spot from_ = 0;
  Spot to_ = 0;
  std::uint32_t cost_ = kNoWay;
  Estimate estimate_;
  std::uint32_t stamp_ = 0;
  std::vector<Node> nodes_;
  BucketQueue queue_;
};

}  // namespace starbus::nav::grid
