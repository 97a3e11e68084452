/// FlowField: for every cell the move that leads to a goal at the least cost, by one search from
/// the goals over the whole layer. Hundreds of units that have one goal share it: each looks up its
/// cell. A unit that others push elsewhere looks up that cell.
///
/// Several goals with costs to begin with make a field around a path: its cells, each with what it
/// costs from there. Among equal moves the first that was found, from goals in their order.
///
/// Owns its memory, and uses it again; one thread builds, any number may read after that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nav/error.hpp"
#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/layer.hpp"

namespace starbus::nav::grid {

class FlowField {
 public:
  struct Goal {
    Cell cell;
    std::uint32_t cost = 0;  ///< units of 1/408 of a side
  };

  /// Computes it. Cells that cost more than `reach` are left out. bad_goal if one of the goals is
  /// not passable or there is none, too_many; too_large for a cost beyond kMaxPathCost.
  Result<void> build(const Layer& layer, std::span<const Goal> goals,
                     std::uint32_t reach = kMaxPathCost);
  Result<void> build(const Layer& layer, Cell goal);

  /// The version of the layer that it was built of; 0 before the first build().
  std::uint64_t version() const { return version_; }
  /// What the way from a cell costs; nullopt if none leads to a goal, or beyond the grid.
  std::optional<std::uint64_t> cost(Cell cell) const;
  /// The move from a cell; kNoDirection at a goal, and where there is no way.
  Direction direction(Cell cell) const;
  /// Cells from which a way leads to a goal.
  std::uint32_t reached() const { return reached_; }

 private:
  /// What is open in a field over equal costs: of moves that cost the same, in the order in which
  /// they were found, which is that of their costs, so that no other order has to be kept.
  struct Line {
    struct Entry {
      std::uint32_t cost;
      std::uint32_t index;  ///< of a cell in the layout
    };
    std::vector<Entry> entries;  ///< from `head` to `end` open, then what ends the line
    std::size_t head = 0;
    std::size_t end = 0;

    void clear();
    void reserve_for_a_cell();
    void push(std::uint32_t cost, std::uint32_t index) { entries[end++] = {cost, index}; }
  };

  void open(std::span<const Goal> goals, bool simple);
  void spread_evenly(const Layer& layer);
  void spread(const Layer& layer);

  Layout layout_;
  std::uint64_t version_ = 0;
  std::uint32_t factor_ = 1;  ///< of costs
  std::uint32_t reached_ = 0;
  std::uint32_t unreached_ = 0;       ///< one more than the field's reach
  std::vector<std::uint32_t> costs_;  ///< unreached_: none
  std::vector<Direction> directions_;
  BucketQueue queue_;
  Line goals_;  ///< these three: over equal costs
  Line straight_;
  Line diagonal_;
};

}  // namespace starbus::nav::grid
