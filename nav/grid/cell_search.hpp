/// CellSearch: ways from cell to cell over one layer, by any algorithm, whole or in slices.
///
/// Among paths that cost the same, which one is found is fixed: the open cell with the least sum of
/// cost and estimate is expanded next, among equals the one that was pushed last; its moves are
/// tried in the order of Direction; and a cell keeps the first of two equal ways to it.
///
/// It belongs to its maker; one thread at a time; the layer must live until the next begin(). Owns
/// its memory: after the largest grid that it has searched it allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/error.hpp"
#include "nav/grid/clusters/cluster_search.hpp"
#include "nav/grid/layer.hpp"
#include "nav/grid/search_memory.hpp"
#include "nav/path.hpp"

namespace starbus::nav::grid {

/// A question for a way from cell to cell. Plain value.
struct CellRequest {
  Cell from;
  Cell to;
  Algorithm algorithm = Algorithm::automatic;
  bool partial = false;        ///< as in PathRequest
  std::uint32_t weight = 100;  ///< as in PathRequest
};

class CellSearch {
 public:
  /// The errors of Search::begin.
  Result<void> begin(const Layer& layer, const CellRequest& request);
  /// The errors of Search::advance.
  Result<bool> advance(std::uint32_t budget);

  /// Whether the last search that was begun has found what it looks for.
  bool found() const { return state_ == State::found; }
  /// Whether the path that there is leads to the goal.
  bool complete() const { return found() && target_ == goal_; }
  std::uint32_t expanded() const;
  /// What the way to the end costs, in units of 1/408 of a cell's side.
  std::uint64_t cost() const;
  /// The cells of that way, from the start on: to the target, or to the one nearest to it that was
  /// expanded. not_ready, changed. Writes into `out`, whose memory is used again.
  Result<void> path(std::vector<Cell>& out) const;
  /// The same with the links that it goes over, in their order.
  Result<void> path(std::vector<Cell>& out, std::vector<LinkStep>& links) const;
  /// Calls `use` with the cells that it has looked around from so far, for pictures; with none if
  /// it goes by clusters.
  template <class Use>
  void each_expanded(Use&& use) const;

 private:
  enum class State : std::uint8_t { none, running, found, failed };
  enum class Method : std::uint8_t { a_star, breadth_first, jump, jump_by_table, clusters };

  Result<void> choose(const Layer& layer, const CellRequest& request);
  void start();
  void settle(std::uint32_t estimate, Spot spot);
  bool jumps() const { return method_ == Method::jump || method_ == Method::jump_by_table; }
  const Node& node_of(Spot spot) const;
  Spot before_link(Spot at, std::uint32_t& link) const;
  static Spot add_jump(std::vector<Cell>& out, Spot at, Spot origin, Direction back);
  Spot end() const { return found() ? target_ : nearest_; }

  // What each method does with the next `budget` nodes; true if it has ended.
  bool run(std::uint32_t budget);
  template <class Queue, bool kUniform, bool kLinks>
  bool run_a_star(Queue& queue, std::uint32_t budget);
  template <class Queue>
  bool run_a_star_with(Queue& queue, std::uint32_t budget);
  bool run_breadth_first(std::uint32_t budget);
  template <Diagonals kRule>
  bool run_jump(std::uint32_t budget);
  bool run_jump_by_table(std::uint32_t budget);

  template <class Jump>
  bool run_jump_with(std::uint32_t budget, Jump&& jump);
  template <Diagonals kRule, Direction kDirection>
  std::uint32_t straight_jump(Spot from) const;
  template <Diagonals kRule, Direction kDirection>
  void jump(Spot from, std::uint32_t cost);
  void jump_by_table(Spot from, std::uint32_t index, std::uint32_t cost, Direction direction);
  void jump_diagonally_by_table(Spot from, std::uint32_t index, std::uint32_t cost,
                                Direction direction, int ahead_x, int ahead_y);
  void reach(Spot origin, std::uint32_t cost, Spot at, Direction arrival);

  const Layer* layer_ = nullptr;
  const JumpTable* table_ = nullptr;  ///< of jump_by_table
  std::uint64_t version_ = 0;
  State state_ = State::none;
  Method method_ = Method::a_star;
  bool uniform_ = true;  ///< costs are counted as 1, and multiplied at the end
  Spot start_ = 0;
  Spot goal_ = 0;    ///< what was asked for
  Spot target_ = 0;  ///< what is looked for: the goal, or the nearest that is reachable
  Estimate estimate_;
  std::uint32_t weight_ = 100;
  std::uint32_t expanded_ = 0;
  std::uint32_t least_estimate_ = 0;  ///< of cells that were expanded
  Spot nearest_ = 0;                  ///< the first such cell
  SearchMemory memory_;
  ClusterSearch by_clusters_;
};

template <class Use>
void CellSearch::each_expanded(Use&& use) const {
  if (state_ == State::none || method_ == Method::clusters) return;
  if (method_ == Method::breadth_first) {
    for (std::size_t i = 0; i < memory_.head; ++i) use(cell_of(memory_.line[i]));
    return;
  }
  const Layout& layout = layer_->layout();
  for (std::uint32_t y = 0; y < layout.height; ++y) {
    for (std::uint32_t x = 0; x < layout.width; ++x) {
      const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
      if (node_of(spot_of(cell)).stamp() > memory_.stamp()) use(cell);
    }
  }
}

/// The cell nearest to another one by the estimate that can be reached from a component; among
/// equals the one with the lowest row, then column.
Cell nearest_reachable(const Layer& layer, std::uint32_t component, Cell to);

}  // namespace starbus::nav::grid
