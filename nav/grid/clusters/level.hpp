/// Level: a grid cut into squares, with the entrances between them, and what the ways from entrance
/// to entrance within a square cost: what a hierarchical search goes over. Clusters and Regions
/// fill one. Owns its tables; any number of threads may read while it does not change.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "nav/grid/cell.hpp"

namespace starbus::nav::grid {

/// Trusts an estimate a little more than it says, so that much less is expanded, for ways that cost
/// at most so much more: 1/16.
constexpr std::uint32_t leaning(std::uint32_t estimate) {
  return estimate + estimate / 16;
}

/// An entrance, by the number of its square and its place among those of the square.
struct EntranceId {
  std::uint32_t value = 0;
  EntranceId() = default;
  EntranceId(std::uint32_t square, std::uint32_t place) : value(square << 16 | place) {}
  std::uint32_t square() const { return value >> 16; }
  std::uint32_t place() const { return value & 0xffff; }
  friend bool operator==(EntranceId, EntranceId) = default;
};

/// A way out of a square, which is a way into it from the other side.
struct Entrance {
  static constexpr std::uint32_t kClosed = std::numeric_limits<std::uint32_t>::max();
  Spot cell = 0;                ///< within the square
  Spot across = 0;              ///< the cell that going out leads to
  std::uint32_t out = kClosed;  ///< what going out costs; kClosed: it leads in only
  EntranceId other;             ///< the same entrance seen from there
};

class Level {
 public:
  static constexpr std::uint32_t kLinks = 8;  ///< in Square::first, after the directions
  /// Instead of a cost, or of the number of a square.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// One of them.
  class Square {
   public:
    /// By the direction in which they lead out, and within that by their cells; then links.
    std::vector<Entrance> entrances;
    /// From each entrance to each within the square, in units of 1 << shift, so that 16 bits are
    /// enough: rounded up, which matters for very dear ground only.
    std::vector<std::uint16_t> costs;
    std::uint8_t shift = 0;
    std::array<std::uint16_t, 10> first = {};  ///< of each direction; links; the end
    bool stale = false;                        ///< its costs are to be computed

    /// Between two entrances by their places; kNone if there is no way.
    std::uint32_t cost(std::size_t from, std::size_t to) const {
      const std::uint16_t cost = costs[from * entrances.size() + to];
      return cost == kFar ? kNone : std::uint32_t{cost} << shift;
    }
    /// Takes the costs from each to each, row by row.
    void set_costs(const std::vector<std::uint32_t>& all);

   private:
    static constexpr std::uint16_t kFar = 0xffff;
  };

  /// Squares of `side` cells.
  Level(const Layout& layout, std::uint32_t side);

  std::uint32_t side() const { return side_; }
  std::uint32_t across() const { return across_; }
  std::uint32_t down() const { return down_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(squares_.size()); }
  const Square& at(std::uint32_t number) const { return squares_[number]; }
  /// The square that a cell lies in.
  std::uint32_t number_of(Spot cell) const {
    return (cell >> 16) / side_ * across_ + (cell & 0xffff) / side_;
  }
  /// The cells of a square.
  CellBox box(std::uint32_t number) const;
  /// The square beside one; kNone at the end of the grid.
  std::uint32_t neighbour(std::uint32_t number, Direction direction) const;
  const Entrance& entrance(EntranceId id) const {
    return squares_[id.square()].entrances[id.place()];
  }
  /// A number for each entrance, below entrances(); it holds while nothing changes.
  std::uint32_t index(EntranceId id) const { return offsets_[id.square()] + id.place(); }
  std::uint32_t entrances() const { return entrances_; }
  /// Whether it is an end of a link.
  bool is_link(EntranceId id) const { return id.place() >= squares_[id.square()].first[kLinks]; }
  /// Bytes that it holds.
  std::size_t bytes() const;

  Square& square(std::uint32_t number) { return squares_[number]; }
  /// Replaces the entrances of a direction, or of links. True if their cells are others now, so
  /// that costs are to be computed.
  bool replace(std::uint32_t number, std::uint32_t group, const std::vector<Entrance>& entrances);
  /// Tells each entrance of these squares where it is found on the other side, and the reverse; and
  /// numbers all.
  void join(const std::vector<std::uint32_t>& squares);

 private:
  std::uint32_t side_;
  Layout layout_;
  std::uint32_t across_;  ///< squares in a row
  std::uint32_t down_;
  std::uint32_t entrances_ = 0;
  std::vector<Square> squares_;
  std::vector<std::uint32_t> offsets_;  ///< by square: entrances of all before it
};

}  // namespace starbus::nav::grid
