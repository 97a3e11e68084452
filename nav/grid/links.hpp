/// Links of a grid: ways between two cells that no move leads over, one way or both: a jump down a
/// ledge, a ladder, a portal. LayerLinks are those that one kind of agent can use.
///
/// A layer owns its LayerLinks; any number of threads may read while it does not change.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nav/grid/cell.hpp"
#include "nav/types.hpp"

namespace starbus::nav::grid {

/// A link as the grid has it. Plain value.
struct CellLink {
  Cell from;
  Cell to;
  std::uint32_t cost = 0;  ///< units of 1/408 of a side, on plain ground; 1..kMaxLinkCost; 0: none
  bool both_ways = false;
  Area area = kPlain;  ///< agents that pass it may use it, at so many times the cost
  friend bool operator==(const CellLink&, const CellLink&) = default;
};

/// Where a way goes over a link: from the cell of this number in its list to the next.
struct LinkStep {
  std::uint32_t cell = 0;
  std::uint32_t link = 0;  ///< in the grid's list
  friend bool operator==(const LinkStep&, const LinkStep&) = default;
};

class LayerLinks {
 public:
  /// Instead of a cost: it does not lead that way.
  static constexpr std::uint32_t kClosed = std::numeric_limits<std::uint32_t>::max();

  /// A link that the agent can use, with what it costs it in either direction.
  struct Pair {
    Spot from = 0;
    Spot to = 0;
    std::uint32_t cost = kClosed;
    std::uint32_t cost_back = kClosed;  ///< kClosed: one way only
    std::uint32_t number = 0;           ///< in the grid's list
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  /// One direction of one.
  struct Leg {
    Spot from = 0;
    Spot to = 0;
    std::uint32_t cost = 0;
    std::uint32_t number = 0;
  };

  /// Takes what can be used now. `estimate`: no move between two cells costs less.
  void assign(std::vector<Pair> pairs, const Estimate& estimate);

  bool empty() const { return pairs_.empty(); }
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// All legs, by the cell where they begin, then by their order in the grid's list.
  const std::vector<Leg>& legs() const { return legs_; }
  /// Whether a leg costs less than the estimate between its ends, so that searches have none.
  bool short_cut() const { return short_cut_; }
  /// Whether legs may begin at a cell: never false if one does.
  bool may_begin(Spot cell) const { return (begins_[hash(cell) / 64] >> hash(cell) % 64 & 1) != 0; }
  /// The number of one of the legs, in their order.
  std::uint32_t number_of(const Leg& leg) const {
    return static_cast<std::uint32_t>(&leg - legs_.data());
  }
  /// The legs that begin at a cell.
  std::span<const Leg> from(Spot cell) const;
  /// The cheapest leg from one cell to another, the first among equals; nullptr if there is none.
  const Leg* between(Spot from, Spot to) const;

 private:
  static std::uint32_t hash(Spot cell) { return (cell * 2'654'435'769u) >> 17; }

  std::vector<Pair> pairs_;
  std::vector<Leg> legs_;
  std::array<std::uint64_t, 32'768 / 64> begins_ = {};
  bool short_cut_ = false;
};

}  // namespace starbus::nav::grid
