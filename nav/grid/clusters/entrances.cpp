#include "nav/grid/clusters/entrances.hpp"

#include <algorithm>

namespace starbus::nav::grid {

const std::vector<Crossing>& Entrances::choose(const Layer& layer, const CellBox& from,
                                               const CellBox& to, Direction direction) {
  stretches_.clear();
  from_.load(layer, from);
  to_.load(layer, to);
  from_.label();
  to_.label();
  const auto try_move = [&](std::uint32_t place, Spot at, Direction d) {
    if ((layer.moves()[layer.layout().index(at)] >> d & 1) == 0) return false;
    add(place, {at, stepped(at, d)});
    return true;
  };
  const bool cuts = layer.options().diagonals == Diagonals::cut;
  if (diagonal(direction)) {
    // The corner that both have; other rules allow no way past it but through a third cluster.
    const std::uint32_t x = kStepX[direction] > 0 ? from.x1 - 1 : from.x0;
    if (cuts) try_move(0, (from.y1 - 1) << 16 | x, direction);
  } else {
    const bool east = direction == 0;
    const std::uint32_t length = east ? from.y1 - from.y0 : from.x1 - from.x0;
    const Spot first = east ? from.y0 << 16 | (from.x1 - 1) : (from.y1 - 1) << 16 | from.x0;
    const Direction along = east ? 1 : 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      const Spot at = stepped(first, along, i);
      if (try_move(i, at, direction) || !cuts) continue;
      // Only between walls does a diagonal move lead where no straight one does.
      if (i + 1 < length) try_move(i, at, 4);
      if (i > 0) try_move(i, at, east ? 7 : 5);
    }
  }
  std::vector<Crossing>& kept = stretches_.take();
  std::ranges::sort(kept, [](const Crossing& a, const Crossing& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return kept;
}

void Entrances::add(std::uint32_t place, Crossing crossing) {
  const std::uint32_t pair =
      static_cast<std::uint32_t>(from_.label_of(crossing.from)) << 16 | to_.label_of(crossing.to);
  stretches_.add(pair, place, crossing);
}

}  // namespace starbus::nav::grid
