/// Layer: a grid as one kind of agent finds it: which cells it can pass, the moves that lead from
/// each, what they cost, and what can be reached from where; as bits by rows and by columns, too,
/// and with the table of jump points and the clusters if those were asked for. All searches read a
/// layer.
///
/// Owns its tables. Whatever is not const is for the owner's thread while no other one reads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nav/agent.hpp"
#include "nav/grid/bit_lines.hpp"
#include "nav/grid/cell.hpp"
#include "nav/grid/components.hpp"
#include "nav/grid/jump_table.hpp"
#include "nav/grid/link_reach.hpp"
#include "nav/grid/links.hpp"
#include "nav/grid/rules.hpp"
#include "nav/grid/terrain.hpp"

namespace starbus::nav::grid {

class Clusters;

class Layer {
 public:
  /// How an agent moves over a grid.
  struct Options {
    Agent agent = {};
    Areas areas = {};
    std::uint32_t margin = 0;  ///< cells that it keeps from what it cannot pass
    Diagonals diagonals = Diagonals::no_cut;
  };

  /// The terrain must outlive it, and have passed check().
  Layer(const Terrain& terrain, const Options& options);
  ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// The areas of these cells have changed.
  void refresh(const CellBox& changed);
  /// The links of the terrain have changed.
  void refresh_links();
  /// Makes the table of jump points, if it is not up to date. not_uniform.
  Result<void> prepare();
  /// Makes the clusters, or brings them up to date: up to so many pieces of that, each of which is
  /// work on one cluster or two. True if nothing is left to do.
  bool prepare_clusters(std::uint32_t pieces);

  const Layout& layout() const { return layout_; }
  const Options& options() const { return options_; }
  const Rules& rules() const { return rules_; }
  /// Rises with every refresh() and refresh_links().
  std::uint64_t version() const { return version_; }

  /// Whether the agent may stand there; false beyond the grid.
  bool passable(Cell cell) const {
    return layout_.contains(cell) && passable_[layout_.index(cell)] != 0;
  }
  /// Whether a way leads from one to the other; false if either is no place to stand.
  bool connected(Cell from, Cell to) const {
    return passable(from) && passable(to) && reaches(component(from), component(to));
  }
  /// The same of components that there are.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return from == to || (!links_.empty() && link_reach_.reaches(from, to));
  }
  /// The name of a cell's component until the next refresh(); 0 if it is not passable.
  std::uint32_t component(Cell cell) const { return components_.of(layout_.index(cell)); }
  const Components& components() const { return components_; }
  /// How many cells can be passed; in one row.
  std::uint32_t passable_count() const { return passable_count_; }
  std::uint32_t passable_in_row(std::uint32_t row) const { return row_counts_[row]; }

  // Tables by index of the layout.
  const Mask* moves() const { return moves_.data(); }
  const Mask* around() const { return around_.data(); }        ///< neighbours that can be passed
  const std::uint8_t* costs() const { return costs_.data(); }  ///< of entering a cell, times

  /// What the agent can use of the terrain's links.
  const LayerLinks& links() const { return links_; }

  /// Whether all cells cost the same and no height is in the way of a move.
  bool uniform() const { return dear_ == 0 && steep_ == 0; }
  /// Whether jump points can be used.
  bool can_jump() const {
    return uniform() && options_.diagonals != Diagonals::none && links_.empty();
  }
  /// The least that any cell can cost, times.
  std::uint32_t least_cost() const { return least_cost_; }
  const BitLines& rows() const { return rows_; }
  const BitLines& columns() const { return columns_; }
  /// nullptr if there is none, or it is out of date.
  const JumpTable* jump_table() const {
    return table_version_ == version_ ? table_.get() : nullptr;
  }
  /// Likewise.
  const Clusters* clusters() const;

 private:
  bool passes(std::uint32_t x, std::uint32_t y) const;
  bool free_within_margin(std::uint32_t x, std::uint32_t y) const;
  void update_cells(const CellBox& box);
  void update_moves(const CellBox& box, std::vector<Components::Change>* changes);
  void update_links();
  bool climbs(Cell from, Cell to) const;
  Mask climbable(Cell cell, Mask moves) const;

  const Terrain& terrain_;
  Options options_;
  Layout layout_;
  const Rules& rules_;
  std::uint64_t version_ = 1;
  std::uint32_t least_cost_ = 1;
  std::vector<std::uint8_t> passable_;
  std::vector<std::uint8_t> was_passable_;  ///< scratch of update_moves
  std::vector<Mask> around_;
  std::vector<Mask> moves_;
  std::vector<std::uint8_t> costs_;
  std::vector<std::uint32_t> row_counts_;
  std::uint32_t passable_count_ = 0;
  std::uint32_t dear_ = 0;   ///< passable cells that cost more than the least
  std::uint32_t steep_ = 0;  ///< moves that heights forbid
  BitLines rows_;
  BitLines columns_;
  Components components_;
  LayerLinks links_;
  LinkReach link_reach_;  ///< made if there are links
  std::unique_ptr<JumpTable> table_;
  std::uint64_t table_version_ = 0;
  std::unique_ptr<Clusters> clusters_;
};

}  // namespace starbus::nav::grid
