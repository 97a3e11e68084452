#include "nav/grid/clusters/level.hpp"

#include <algorithm>

namespace starbus::nav::grid {

Level::Level(const Layout& layout, std::uint32_t side)
    : side_(side),
      layout_(layout),
      across_((layout.width + side - 1) / side),
      down_((layout.height + side - 1) / side),
      squares_(std::size_t{across_} * down_),
      offsets_(squares_.size()) {}

void Level::Square::set_costs(const std::vector<std::uint32_t>& all) {
  std::uint32_t most = 0;
  for (const std::uint32_t cost : all) most = std::max(most, cost == kNone ? 0 : cost);
  shift = 0;
  while ((most >> shift) + 1 >= kFar) ++shift;
  costs = std::vector<std::uint16_t>(all.size(), kFar);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == kNone) continue;
    costs[i] = static_cast<std::uint16_t>((all[i] + (1u << shift) - 1) >> shift);
  }
}

CellBox Level::box(std::uint32_t number) const {
  const std::uint32_t x = number % across_ * side_;
  const std::uint32_t y = number / across_ * side_;
  return {x, y, std::min(x + side_, layout_.width), std::min(y + side_, layout_.height)};
}

std::uint32_t Level::neighbour(std::uint32_t number, Direction direction) const {
  const auto x = static_cast<int>(number % across_) + kStepX[direction];
  const auto y = static_cast<int>(number / across_) + kStepY[direction];
  if (x < 0 || y < 0 || x >= static_cast<int>(across_) || y >= static_cast<int>(down_)) {
    return kNone;
  }
  return static_cast<std::uint32_t>(y) * across_ + static_cast<std::uint32_t>(x);
}

bool Level::replace(std::uint32_t number, std::uint32_t group,
                    const std::vector<Entrance>& entrances) {
  Square& square = squares_[number];
  const auto begin = square.entrances.begin() + square.first[group];
  const auto end = square.entrances.begin() + square.first[group + 1];
  if (std::ranges::equal(begin, end, entrances.begin(), entrances.end(), {}, &Entrance::cell,
                         &Entrance::cell)) {
    std::ranges::copy(entrances, begin);
    return false;
  }
  std::vector<Entrance> all;
  all.reserve(square.entrances.size() + entrances.size());
  all.insert(all.end(), square.entrances.begin(), begin);
  all.insert(all.end(), entrances.begin(), entrances.end());
  all.insert(all.end(), end, square.entrances.end());
  const auto more = static_cast<std::ptrdiff_t>(entrances.size()) - (end - begin);
  for (std::uint32_t i = group + 1; i < square.first.size(); ++i) {
    square.first[i] = static_cast<std::uint16_t>(square.first[i] + more);
  }
  square.entrances = std::vector<Entrance>(all.begin(), all.end());
  return true;
}

void Level::join(const std::vector<std::uint32_t>& squares) {
  for (const std::uint32_t number : squares) {
    Square& here = squares_[number];
    for (Direction d = 0; d < 8; ++d) {
      const std::uint32_t other = neighbour(number, d);
      if (other == kNone) continue;
      Square& there = squares_[other];
      for (std::uint32_t i = here.first[d]; i < here.first[d + 1u]; ++i) {
        const std::uint32_t place = there.first[opposite(d)] + i - here.first[d];
        here.entrances[i].other = EntranceId(other, place);
        there.entrances[place].other = EntranceId(number, i);
      }
    }
    for (std::uint32_t i = here.first[kLinks]; i < here.first[kLinks + 1]; ++i) {
      Entrance& one = here.entrances[i];
      const std::uint32_t other = number_of(one.across);
      Square& there = squares_[other];
      for (std::uint32_t k = there.first[kLinks]; k < there.first[kLinks + 1]; ++k) {
        if (there.entrances[k].cell != one.across || there.entrances[k].across != one.cell)
          continue;
        one.other = EntranceId(other, k);
        there.entrances[k].other = EntranceId(number, i);
      }
    }
  }
  entrances_ = 0;
  for (std::size_t i = 0; i < squares_.size(); ++i) {
    offsets_[i] = entrances_;
    entrances_ += static_cast<std::uint32_t>(squares_[i].entrances.size());
  }
}

std::size_t Level::bytes() const {
  std::size_t sum = squares_.capacity() * sizeof(Square) + offsets_.capacity() * 4;
  for (const Square& square : squares_) {
    sum += square.entrances.capacity() * sizeof(Entrance) + square.costs.capacity() * 2;
  }
  return sum;
}

}  // namespace starbus::nav::grid
