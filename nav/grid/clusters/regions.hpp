/// Regions: the level above clusters. A few of the entrances between clusters that lie where two
/// regions meet are entrances of regions: for each pair of parts, one of either region, that are
/// joined across the border, one in each stretch of kSpacing cells.
///
/// Part of Clusters, which says what has changed. Owns its tables; what is not const is for the
/// owner's thread while no other one reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/grid/clusters/entrance_search.hpp"
#include "nav/grid/clusters/stretches.hpp"
#include "nav/grid/layer.hpp"

namespace starbus::nav::grid {

class Regions {
 public:
  /// Cells of a border that one entrance stands for.
  static constexpr std::uint32_t kSpacing = 16;

  /// Regions of `side` cells, a multiple of the clusters' side. Both must outlive it.
  Regions(const Layer& layer, const Level& clusters, std::uint32_t side);

  /// Entrances or costs of this cluster have changed.
  void touch(std::uint32_t cluster);
  /// Does up to `pieces` pieces; true if nothing is left.
  bool work(std::uint32_t pieces);

  const Level& level() const { return level_; }
  /// The entrance of a cluster that an entrance of a region is.
  EntranceId base(EntranceId id) const { return bases_[id.square()][id.place()]; }
  /// The clusters of a region, as a box of squares of their level.
  CellBox clusters(std::uint32_t region) const;
  std::size_t bytes() const;

 private:
  void label(std::uint32_t region);
  void stale_now(std::uint32_t region);
  void choose(std::uint32_t region);
  void choose_border(std::uint32_t region, Direction direction);
  void choose_links(std::uint32_t region);
  void add(EntranceId id, Direction direction);
  void set_bases(std::uint32_t region);
  void compute(std::uint32_t region);

  const Layer& layer_;
  const Level& clusters_;
  Level level_;
  std::vector<std::vector<EntranceId>> bases_;  ///< by region and place
  std::vector<std::uint32_t> touched_;          ///< regions whose entrances are to be chosen
  std::vector<std::uint32_t> stale_;            ///< regions whose costs are to be computed
  std::vector<std::uint8_t> is_touched_;
  std::size_t chosen_ = 0;  ///< of touched_
  EntranceSearch search_;
  std::vector<std::uint32_t> labels_;  ///< by index of an entrance of clusters
  std::uint32_t last_label_ = 0;
  std::vector<EntranceId> pending_;  ///< scratch of label()
  Stretches<EntranceId> stretches_{kSpacing};
  std::vector<Entrance> forth_;
  std::vector<Entrance> back_;
  std::vector<std::uint32_t> costs_;  ///< scratch of compute
};

}  // namespace starbus::nav::grid
