#include "nav/grid/clusters/entrances.hpp"

#include <algorithm>

namespace starbus::nav::grid {

const std::vector<Crossing>& Entrances::choose(const Layer& layer, const CellBox& from,
                                               const CellBox& to, Direction direction) {
  kept_.clear();
  open_ = 0;
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
  for (std::size_t i = 0; i < open_; ++i) keep(stretches_[i]);
  std::ranges::sort(kept_, [](const Crossing& a, const Crossing& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return kept_;
}

void Entrances::add(std::uint32_t place, Crossing crossing) {
  const std::uint32_t pair =
      static_cast<std::uint32_t>(from_.label_of(crossing.from)) << 16 | to_.label_of(crossing.to);
  Stretch* stretch = nullptr;
  for (std::size_t i = 0; i < open_; ++i) {
    if (stretches_[i].pair == pair) stretch = &stretches_[i];
  }
  if (stretch == nullptr) {
    if (open_ == stretches_.size()) stretches_.emplace_back();
    stretch = &stretches_[open_++];
    *stretch = {pair, place, std::move(stretch->crossings)};
    stretch->crossings.clear();
  } else if (place - stretch->first >= kSpacing) {
    keep(*stretch);
    stretch->first = place;
    stretch->crossings.clear();
  }
  stretch->crossings.push_back(crossing);
}

// The one in the middle.
void Entrances::keep(const Stretch& stretch) {
  kept_.push_back(stretch.crossings[stretch.crossings.size() / 2]);
}

}  // namespace starbus::nav::grid
