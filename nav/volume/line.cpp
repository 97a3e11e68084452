#include "nav/volume/line.hpp"

#include <algorithm>
#include <cstdlib>

namespace starbus::nav::volume {
namespace {

std::int32_t floor_voxel(std::int32_t fine) {
  return fine >= 0 ? fine / kFine : -((-fine + kFine - 1) / kFine);
}

// One line on its way from voxel to voxel.
class LineWalk {
 public:
  LineWalk(const SparseOctree& tree, const FinePoint& from, const FinePoint& to)
      : tree_(tree), from_(from), block_(tree.at(voxel_of(from))) {
    for (std::size_t i = 0; i < 3; ++i) {
      delta_[i] = std::int64_t{to.at[i]} - from.at[i];
      at_[i] = from.at[i] / kFine;
      left_[i] = std::abs(floor_voxel(to.at[i]) - at_[i]);
    }
  }

  bool ended() const { return left_[0] == 0 && left_[1] == 0 && left_[2] == 0; }

  // The axes of the next step: those whose border comes first, all of them at an edge.
  void aim() {
    step_ = {};
    std::size_t first = 3;
    for (std::size_t i = 0; i < 3; ++i) {
      if (left_[i] == 0) continue;
      // Way to the border / |d|, multiplied crosswise.
      const int order = first == 3 ? -1 : compare(i, first);
      if (order < 0) step_ = {};
      if (order <= 0) {
        step_[i] = delta_[i] > 0 ? 1 : -1;
        first = i;
      }
    }
  }

  // False if it leads to a voxel that is not free, or past the edge of one.
  bool step() {
    for (unsigned axes = 1; axes < 8; ++axes) {
      std::array<int, 3> to = at_;
      bool part = true;
      for (std::size_t i = 0; i < 3; ++i) {
        if ((axes >> i & 1) == 0) continue;
        part = part && step_[i] != 0;
        to[i] += step_[i];
      }
      if (part && !enter(to)) return false;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      at_[i] += step_[i];
      left_[i] -= std::abs(step_[i]);
    }
    return true;
  }

  // Of the step that was refused.
  LineEnd hit() const {
    LineEnd end;
    end.hit = true;
    const std::size_t axis = step_[0] != 0 ? 0 : step_[1] != 0 ? 1 : 2;
    const std::int64_t whole = std::abs(delta_[axis]);
    for (std::size_t i = 0; i < 3; ++i) {
      end.normal[i] = -step_[i];
      const std::int64_t at = from_.at[i] + delta_[i] * way(axis) / whole;
      const std::int64_t low = std::int64_t{at_[i]} * kFine;
      end.at.at[i] = static_cast<std::int32_t>(std::clamp(at, low, low + kFine - 1));
    }
    return end;
  }

  // What the voxels of the line so far cost; 0 if not the same.
  std::uint8_t cost() const { return cost_; }
  void begin_cost() { cost_ = block_.value; }

 private:
  // From the start to the border of the voxel that the line leaves through.
  std::int64_t way(std::size_t i) const {
    const std::int64_t border = std::int64_t{at_[i] + (delta_[i] > 0 ? 1 : 0)} * kFine;
    return std::abs(border - from_.at[i]);
  }
  int compare(std::size_t a, std::size_t b) const {
    const std::int64_t left = way(a) * std::abs(delta_[b]);
    const std::int64_t right = way(b) * std::abs(delta_[a]);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  bool enter(const std::array<int, 3>& to) {
    if (to[0] < 0 || to[1] < 0 || to[2] < 0) return false;
    const auto one = [](int of) { return static_cast<std::uint16_t>(of); };
    const Voxel voxel{one(to[0]), one(to[1]), one(to[2])};
    if (!tree_.extent().contains(voxel)) return false;
    if (!block_.box().contains(voxel)) {
      const Block other = tree_.at(voxel);
      if (other.value == 0) return false;
      block_ = other;
    }
    if (block_.value != cost_) cost_ = 0;
    return true;
  }

  const SparseOctree& tree_;
  FinePoint from_;
  Block block_;  ///< the last one that it was in
  std::array<std::int64_t, 3> delta_ = {};
  std::array<int, 3> at_ = {};
  std::array<int, 3> left_ = {};  ///< borders that are still to be crossed
  std::array<int, 3> step_ = {};
  std::uint8_t cost_ = 0;
};

}  // namespace

LineEnd follow_line(const SparseOctree& tree, const FinePoint& from, const FinePoint& to) {
  LineWalk walk(tree, from, to);
  while (!walk.ended()) {
    walk.aim();
    if (!walk.step()) return walk.hit();
  }
  return {to, false, {}};
}

FinePoint slide(const SparseOctree& tree, const FinePoint& from, const FinePoint& to) {
  FinePoint aim = to;
  LineEnd end = follow_line(tree, from, aim);
  // What was hit takes an axis away, at an edge the one along which the least is left.
  for (int i = 0; i < 3 && end.hit; ++i) {
    std::size_t drop = 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (end.normal[axis] == 0) continue;
      const auto left = [&](std::size_t of) { return std::abs(aim.at[of] - end.at.at[of]); };
      if (drop == 3 || left(axis) < left(drop)) drop = axis;
    }
    aim.at[drop] = end.at.at[drop];
    end = follow_line(tree, end.at, aim);
  }
  return end.at;
}

bool sees(const SparseOctree& tree, const FinePoint& from, const FinePoint& to) {
  LineWalk walk(tree, from, to);
  walk.begin_cost();
  while (!walk.ended()) {
    walk.aim();
    if (!walk.step() || walk.cost() == 0) return false;
  }
  return true;
}

void keep_corners(std::vector<Voxel>& way) {
  if (way.size() < 3) return;
  std::size_t kept = 1;
  for (std::size_t i = 1; i + 1 < way.size(); ++i) {
    const Voxel a = way[kept - 1];
    const Voxel b = way[i];
    const Voxel c = way[i + 1];
    const std::array<int, 3> first{b.x - a.x, b.y - a.y, b.z - a.z};
    const std::array<int, 3> second{c.x - b.x, c.y - b.y, c.z - b.z};
    bool straight = true;
    int along = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      straight = straight && first[k] * second[next] == first[next] * second[k];
      along += first[k] * second[k];
    }
    if (straight && along > 0) continue;
    way[kept++] = b;
  }
  way[kept++] = way.back();
  way.resize(kept);
}

// From each point to the furthest one that is seen, which is looked for in steps that double, and
// then halve.
void keep_sight(const SparseOctree& tree, std::vector<Voxel>& way) {
  if (way.size() < 3) return;
  const std::size_t end = way.size() - 1;
  std::size_t kept = 1;
  for (std::size_t at = 0; at < end;) {
    const FinePoint anchor = middle_of(way[at]);
    const auto seen_from = [&](std::size_t i) { return sees(tree, anchor, middle_of(way[i])); };
    std::size_t seen = at + 1;
    std::size_t hidden = end + 1;
    for (std::size_t step = 2; at + step < hidden; step *= 2) {
      seen_from(at + step) ? seen = at + step : hidden = at + step;
    }
    while (hidden > seen + 1) {
      const std::size_t middle = seen + (hidden - seen) / 2;
      (seen_from(middle) ? seen : hidden) = middle;
    }
    at = seen;
    if (at < end) way[kept++] = way[at];
  }
  way[kept++] = way[end];
  way.resize(kept);
}

}  // namespace starbus::nav::volume
