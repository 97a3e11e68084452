/// ClusterSearch: ways over the clusters of a layer. For a far goal it first finds the regions that
/// a way leads through, then the clusters, then the cells; near goals are first looked for cell by
/// cell. A way costs a little more than the least: it leads through the entrances that there are.
///
/// It belongs to its maker; one thread at a time; layer and clusters must live, unchanged, while it
/// runs. Owns its memory, and keeps it for the next search.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/grid/clusters/clusters.hpp"
#include "nav/grid/clusters/way_search.hpp"

namespace starbus::nav::grid {

class ClusterSearch {
 public:
  /// Goals so near along both axes are first looked for cell by cell, in a box that is larger than
  /// both ends by so much.
  static constexpr std::uint32_t kNear = 96;
  static constexpr std::uint32_t kAround = 32;
  /// Goals further than this along an axis are looked for by regions.
  static constexpr std::uint32_t kFar = 384;

  /// Begins a search between two cells that a way joins.
  void begin(const Layer& layer, const Clusters& clusters, Spot from, Spot to);
  /// Expands up to `budget` cells and entrances; true if the search has ended.
  bool run(std::uint32_t budget);

  /// After the end: false if every way costs more than kMaxPathCost.
  bool found() const { return phase_ == Phase::found; }
  std::uint32_t expanded() const { return expanded_; }
  /// The way, from the start on; before the end the part of it that has been worked out.
  const std::vector<Cell>& cells() const { return cells_; }
  const std::vector<LinkStep>& links() const { return links_; }
  /// What cells() cost.
  std::uint64_t cost() const { return cost_; }

 private:
  enum class Phase : std::uint8_t {
    near,          ///< the whole way, cell by cell
    start,         ///< from the start to the entrances of its cluster
    goal,          ///< the same to the goal
    clusters,      ///< which clusters the way leads through
    start_region,  ///< from the start to the entrances of its region
    goal_region,   ///< the same to the goal
    regions,       ///< which regions the way leads through
    parts,         ///< which clusters it leads through in each
    cells,         ///< and which cells in each
    found,
    failed
  };

  bool step(std::uint32_t& budget);
  void go_on();
  void end_near();
  void begin_ends();
  void begin_clusters();
  void begin_start_region();
  void begin_goal_region();
  void begin_regions();
  void begin_part();
  void end_part();
  void begin_cells();
  void begin_way();
  void end_way();
  void seed_start();
  EntranceId base(EntranceId region_entrance) const;

  const Layer* layer_ = nullptr;
  const Clusters* clusters_ = nullptr;
  const Level* level_ = nullptr;  ///< of clusters_
  Phase phase_ = Phase::failed;
  Spot from_ = 0;
  Spot to_ = 0;
  std::uint32_t from_cluster_ = 0;
  std::uint32_t to_cluster_ = 0;
  Estimate estimate_;
  std::uint32_t expanded_ = 0;
  std::uint64_t cost_ = 0;
  std::uint64_t near_cost_ = EntranceSearch::kNoWay;  ///< of the way in cells_, found cell by cell
  std::vector<std::uint32_t> start_costs_;            ///< to each entrance of the start's cluster
  std::vector<std::uint32_t> goal_costs_;             ///< from each entrance of the goal's
  std::vector<std::uint32_t> part_costs_;             ///< scratch: to where a part of the way ends
  std::vector<EntranceId> regions_;                   ///< entrances by which the way enters regions
  std::vector<EntranceId> entered_;                   ///< and clusters
  std::size_t part_ = 0;                              ///< of regions_ or entered_: what is done
  std::vector<Cell> cells_;
  std::vector<LinkStep> links_;
  BoxSearch box_;
  WaySearch way_;
  EntranceSearch search_;  ///< over clusters
  EntranceSearch far_;     ///< over regions
};

}  // namespace starbus::nav::grid
