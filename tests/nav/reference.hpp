/// What tests compare searches with: random maps, and searches that are written from the contract
/// alone, as plainly as can be.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "nav/grid/layer.hpp"

namespace starbus::nav::grid::test {

inline constexpr std::uint64_t kNoWay = std::numeric_limits<std::uint64_t>::max();

/// splitmix64: the same numbers everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound);
  std::uint64_t word();

 private:
  std::uint64_t state_;
};

/// A terrain, and the options to look at it with.
struct Case {
  Terrain terrain;
  Layer::Options options;

  Layer layer() const { return Layer(terrain, options); }
};

/// So many percent of the cells are walls.
Terrain random_terrain(Chance& chance, std::uint32_t width, std::uint32_t height,
                       std::uint32_t blocked);
/// Rooms of 7 x 7 cells with doors in most walls between them.
Terrain rooms(Chance& chance, std::uint32_t width, std::uint32_t height, std::uint32_t room = 7);
Cell random_cell(Chance& chance, const Terrain& terrain);
/// A passable one. There must be some.
Cell random_place(Chance& chance, const Layer& layer);

/// Whether an agent may stand there, and whether it may make a move: from terrain and options
/// alone.
bool may_stand(const Case& of, int x, int y);
bool may_move(const Case& of, Cell from, int dx, int dy);
bool may_use(const Case& of, const CellLink& link);
std::uint64_t cost_of(const Case& of, const CellLink& link);
/// What entering a cell costs.
std::uint32_t cost_of(const Case& of, Cell cell);

/// Costs from one cell to all, row by row, by Bellman and Ford: every move is tried until nothing
/// changes. kNoWay where there is none.
std::vector<std::uint64_t> all_costs(const Case& of, Cell from);
/// The same in numbers of moves.
std::vector<std::uint64_t> all_moves(const Case& of, Cell from);

/// The path that A* promises: the open cell with the least sum first, among equals the last pushed;
/// moves in their order; the first of two equal ways stays. Also what was expanded.
struct Found {
  std::vector<Cell> path;
  std::uint32_t expanded = 0;
};
Found a_star(const Case& of, Cell from, Cell to, bool with_estimate);

/// What a path costs; kNoWay if one of its steps is no move.
std::uint64_t path_cost(const Case& of, const std::vector<Cell>& path,
                        const std::vector<LinkStep>& links = {});

}  // namespace starbus::nav::grid::test
