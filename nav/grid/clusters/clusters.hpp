/// Clusters: the abstraction that hierarchical searches go over (Botea, Mueller, Schaeffer 2004).
/// The grid is cut into clusters of kSide x kSide cells, and into regions of kRegionSide. Between
/// two neighbours a few moves are entrances; within a cluster, and within a region, it is known
/// what the way from each entrance to each other costs.
///
/// A change of cells marks the clusters that it touches; work() brings them up to date, a piece at
/// a time, and costs the same whatever the size of the map is. Owns its tables; what is not const
/// is for the owner's thread while no other one reads.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/clusters/entrances.hpp"
#include "nav/grid/clusters/level.hpp"
#include "nav/grid/clusters/regions.hpp"

namespace starbus::nav::grid {

class Clusters {
 public:
  static constexpr std::uint32_t kSide = 32;         ///< cells
  static constexpr std::uint32_t kRegionSide = 256;  ///< cells

  /// Everything is to be computed. The layer must outlive it.
  explicit Clusters(const Layer& layer);

  /// The moves from these cells, or what they cost, may have changed.
  void touch(const CellBox& cells);
  /// A link of the layer that begins or ends at a cell has come, gone or changed.
  void touch_link_at(Spot cell);
  /// Does up to `pieces` pieces of what is to be done: the border of two clusters or regions, or
  /// the costs of one. True if nothing is left.
  bool work(std::uint32_t pieces);
  /// Whether nothing is to be done.
  bool ready() const { return ready_; }

  const Level& level() const { return level_; }
  const Regions& regions() const { return regions_; }
  /// Bytes that it holds.
  std::size_t bytes() const { return level_.bytes() + regions_.bytes(); }
  /// Clusters whose costs were computed since it was made, for tests of what changes cost.
  std::uint64_t computed() const { return computed_; }

 private:
  struct Border {
    std::uint32_t cluster;
    Direction direction;  ///< 0, 1, 4 or 5: each border from one side only
  };

  void mark_borders(std::uint32_t number);
  void mark_costs(std::uint32_t number);
  void choose(const Border& border);
  void choose_links(std::uint32_t number);
  void replace(std::uint32_t number, std::uint32_t group, const std::vector<Entrance>& entrances);
  void compute(std::uint32_t number);

  const Layer& layer_;
  Level level_;
  Regions regions_;
  bool ready_ = false;
  std::uint64_t computed_ = 0;
  std::vector<Mask> marked_;            ///< by cluster: borders that are in borders_
  std::vector<Border> borders_;         ///< whose entrances are to be chosen
  std::vector<std::uint32_t> linked_;   ///< clusters whose links are to be chosen
  std::vector<std::uint32_t> stale_;    ///< clusters whose costs are to be computed
  std::vector<std::uint32_t> changed_;  ///< clusters with other entrances or costs than before
  Entrances chooser_;
  BoxSearch search_;
  std::vector<Entrance> forth_;  ///< scratch of choose
  std::vector<Entrance> back_;
  std::vector<std::uint32_t> costs_;  ///< scratch of compute
};

}  // namespace starbus::nav::grid
