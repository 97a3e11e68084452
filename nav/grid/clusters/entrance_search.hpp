/// EntranceSearch: ways over the entrances of a level, within a box of its squares. A node is an
/// entrance that a square was entered by, and stands for its cell in that square. From there a way
/// goes on to another entrance of the square, and out. Owns its memory, and keeps it for the next
/// search; one thread; the level must not change meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/grid/bucket_queue.hpp"
#include "nav/grid/clusters/level.hpp"

namespace starbus::nav::grid {

class EntranceSearch {
 public:
  /// Instead of a cost: there is no way.
  static constexpr std::uint64_t kNoWay = ~std::uint64_t{0};
  /// What comes before an entrance that a search began at.
  static EntranceId seed() { return EntranceId(0xffff, 0xffff); }

  /// The whole level, or a box of squares within which ways must stay; links lead out of a box.
  void start(const Level& level);
  void start(const Level& level, const CellBox& squares);
  /// Ways towards a cell are looked for first, if nothing between two cells costs less than the
  /// estimate says. Without one all ways are found.
  void aim(Spot target, const Estimate& estimate, bool leans = false);
  /// What the way on costs from each entrance of a square, kNone for none, and from where it begins
  /// to the goal if a way is known that costs so much. The search ends once the cheapest is found.
  void set_goal(std::uint32_t square, std::span<const std::uint32_t> costs,
                std::uint64_t known = kNoWay);
  /// A way begins with the square of an entrance having been entered by it, at a cost.
  void add_seed(EntranceId entered, std::uint64_t cost);
  /// Ways are looked for that lead, the other way around, from entrances to a seed. No goal.
  void turn_around() { backwards_ = true; }
  /// Expands up to `budget` entrances, and takes what it has expanded off; true if it has ended.
  bool run(std::uint32_t& budget);

  /// Of the cheapest way to the goal; kNoWay if there is none, or not below what was known.
  std::uint64_t goal_cost() const { return found_ ? goal_cost_ : kNoWay; }
  /// The entrances that squares are entered by on that way.
  void append_way(std::vector<EntranceId>& out) const;
  /// Of the way to, or backwards from, an entrance that its square was entered by; kNoWay if none.
  std::uint64_t cost(EntranceId entered) const;
  /// The least cost of being at an entrance's cell in its square, by any way that enters it.
  std::uint64_t cost_at(EntranceId at) const;

 private:
  struct Node {
    std::uint32_t cost = 0;
    std::uint32_t stamp = 0;  ///< of the search that has seen it; one more once it is closed
    EntranceId before;
  };

  bool within(std::uint32_t square) const;
  void reach(EntranceId entered, Spot cell, std::uint64_t cost, EntranceId before);
  std::uint32_t rank(Spot cell, std::uint64_t cost) const;
  void expand(EntranceId at, std::uint32_t cost);
  void expand_backwards(EntranceId at, std::uint32_t cost);

  const Level* level_ = nullptr;
  CellBox squares_;
  bool whole_ = true;
  bool backwards_ = false;
  bool leans_ = false;
  std::uint32_t floor_ = 0;  ///< no rank in the queue is lower
  bool found_ = false;
  bool started_ = false;
  Spot target_ = 0;
  Estimate estimate_;
  std::uint32_t goal_square_ = Level::kNone;
  std::vector<std::uint32_t> goal_costs_;
  std::uint64_t goal_cost_ = kNoWay;
  EntranceId goal_before_;
  std::uint32_t stamp_ = 0;
  std::vector<Node> nodes_;  ///< by the index of an entrance
  std::vector<EntranceId> seeds_;
  BucketQueue queue_;
};

}  // namespace starbus::nav::grid
