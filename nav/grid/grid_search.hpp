/// GridSearch: the Search of a GridGround; see there. Its cells become points here.
#pragma once

#include <vector>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/grid_ground.hpp"

namespace starbus::nav::grid {

/// One thread at a time.
class GridSearch final : public Search {
 public:
  explicit GridSearch(const GridGround& ground) : ground_(ground) {}

  Result<void> begin(const PathRequest& request) override;
  Result<bool> advance(std::uint32_t budget) override;
  Result<void> path(Path& out) override;
  void looked_at(std::vector<std::uint64_t>& out) const override;

 private:
  void smooth(std::vector<Cell>& cells) const;
  void smooth_between_links();
  void write_points(Path& out) const;

  const GridGround& ground_;
  PathRequest request_;
  CellSearch search_;
  std::vector<Cell> cells_;
  std::vector<LinkStep> links_;
  std::vector<Cell> part_;  ///< scratch of smooth_between_links
  std::vector<Cell> smoothed_;
  bool begun_ = false;
};

}  // namespace starbus::nav::grid
