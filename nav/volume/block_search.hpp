/// BlockSearch: ways from voxel to voxel over the cubes of one layer, by A*, whole or in slices.
///
/// A move leads through a face of a voxel, and costs what the voxel costs that it enters. The
/// search does not go voxel by voxel: a label is a cube and the voxel by which it was entered. From
/// there a neighbouring cube is entered at its gate, the voxel of it that is nearest: on the way to
/// any other voxel of that cube nothing is lost by it, as long as the cube costs no more than this
/// one. Where it costs more, a second label enters it at the voxel nearest to the goal. A cube
/// keeps every label that no other one of it makes useless: by which each voxel of it could be
/// reached at no greater cost. So, where all that the agent can enter costs the same, a way of the
/// least cost is found, exactly; elsewhere one that costs at most as many times the least as the
/// dearest voxel costs the cheapest one.
///
/// Among equals which one is found is fixed: the label with the least sum of cost and estimate is
/// expanded next, among equals the one with the least estimate, then the one that was made last;
/// faces are tried in the order of Face, and cubes beyond one in that of SparseOctree; of two
/// labels that make each other useless the first stays.
///
/// It belongs to its maker; one thread at a time; the layer must live until the next begin(). Owns
/// its memory: after the largest search that it has done it allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/error.hpp"
#include "nav/path.hpp"
#include "nav/volume/block_table.hpp"
#include "nav/volume/layer.hpp"

namespace starbus::nav::volume {

/// A question for a way from voxel to voxel. Plain value.
struct VoxelRequest {
  Voxel from;
  Voxel to;
  Algorithm algorithm = Algorithm::automatic;
  bool partial = false;        ///< as in PathRequest
  std::uint32_t weight = 100;  ///< as in PathRequest
};

/// Where a way goes over a link: from the voxel of this number in its list to the next.
struct VoxelStep {
  std::uint32_t voxel = 0;
  std::uint32_t link = 0;  ///< in the volume's list
  friend bool operator==(const VoxelStep&, const VoxelStep&) = default;
};

class BlockSearch {
 public:
  /// The errors of Search::begin.
  Result<void> begin(const Layer& layer, const VoxelRequest& request);
  /// The errors of Search::advance; too_many at kMaxLabels.
  Result<bool> advance(std::uint32_t budget);

  /// Whether the last search that was begun has found what it looks for.
  bool found() const { return state_ == State::found; }
  /// Whether the path that there is leads to the goal.
  bool complete() const { return found() && target_ == goal_; }
  std::uint32_t expanded() const { return expanded_; }
  /// What the way to the end costs, in voxels' sides.
  std::uint64_t cost() const;
  /// The voxels where that way may turn, from the start on: between two that follow each other, but
  /// for links, the straight line is free, and so is each way of moves that gets nearer with every
  /// one. To the target, or to the one nearest to it so far. not_ready, changed. Writes into `out`
  /// and `links`, whose memory is used again.
  Result<void> path(std::vector<Voxel>& out, std::vector<VoxelStep>& links) const;
  /// Calls `use` with the cubes of all labels that were expanded.
  template <class Use>
  void each_expanded(Use&& use) const {
    for (const Label& label : labels_) {
      if (label.expanded) use(table_[label.cube].block);
    }
  }

 private:
  enum class State : std::uint8_t { none, running, found, failed };
  static constexpr std::uint32_t kNone = BlockTable::kNone;
  struct Label {
    std::uint32_t cost = 0;
    std::uint32_t cube = 0;      ///< in table_
    std::uint32_t before = 0;    ///< the label that it was reached from; kNone at the start
    std::uint32_t next = kNone;  ///< of its cube
    std::uint32_t leg = kNone;   ///< it was reached by this leg of Links::legs()
    Voxel at;
    bool useless = false;
    bool expanded = false;
  };
  struct Open {
    std::uint64_t sum = 0;
    std::uint32_t left = 0;  ///< estimate
    std::uint32_t label = 0;
    // The one to expand next is the greatest.
    friend bool operator<(const Open& a, const Open& b) {
      if (a.sum != b.sum) return a.sum > b.sum;
      if (a.left != b.left) return a.left > b.left;
      return a.label < b.label;
    }
  };

  bool run(std::uint32_t budget);
  void expand(std::uint32_t label);
  void list_neighbours(std::uint32_t cube);
  void enter(std::uint32_t from, std::uint32_t cube);
  void reach(std::uint32_t from, std::uint64_t cost, std::uint32_t cube, Voxel at,
             std::uint32_t leg);
  void add(const Label& label);
  void note_nearest(std::uint32_t label);
  std::uint32_t end() const;

  const Layer* layer_ = nullptr;
  std::uint64_t version_ = 0;
  State state_ = State::none;
  bool too_far_ = false;
  bool full_ = false;
  Voxel start_;
  Voxel goal_;
  Voxel target_;                ///< the goal, or the nearest voxel that can be reached
  std::uint32_t weight_ = 100;  ///< percent of the estimate; 0: none
  std::uint32_t expanded_ = 0;
  std::uint32_t last_ = kNone;     ///< the label at the target
  std::uint64_t best_target_ = 0;  ///< the least cost of a label there so far
  std::uint32_t nearest_ = 0;      ///< of those expanded, the label nearest to the target
  std::uint64_t nearest_gap_ = 0;  ///< its distance, squared
  BlockTable table_;
  std::vector<std::uint32_t> neighbours_;  ///< of cubes that were expanded: numbers in table_
  std::vector<Label> labels_;
  std::vector<Open> open_;
};

}  // namespace starbus::nav::volume
