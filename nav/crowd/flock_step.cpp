// What a flock does in a step.
#include <algorithm>
#include <cmath>

#include "nav/crowd/flock.hpp"

namespace starbus::nav::crowd {
namespace {

// Parts of the speed, off a wall that is touched: more than all else together.
constexpr float kOffWalls = 3;
// Parts of a cell: as near to its border a unit stays that may not cross it.
constexpr float kInsideCell = 0.01F;
constexpr float kPi = 3.1415927F;
// Of the square of the range: nearer, the push does not grow any more; and m: how far apart those
// count as who stand in the same place.
constexpr float kSoft = 0.02F;
constexpr float kTogether = 0.02F;
constexpr float kApart = 0.4F;  // m: parts of the speed, of one over the distance

}  // namespace

// Units whose cell is no ground any more go to the nearest that is.
void Flock::check_ground() {
  if (layer_.version() == layer_version_) return;
  layer_version_ = layer_.version();
  const float reach = size_ * kMaxStray;
  for (Unit& unit : units_) {
    if (layer_.passable(unit.cell)) continue;
    const Point at{unit.at.x + origin_.x, unit.at.y + origin_.y, 0};
    const auto place = ground_.nearest(at, {reach, reach, reach}, agent_);
    if (!place) continue;
    unit.at = within(*place);
    unit.cell = *ground_.cell(*place);
    unit.velocity = {};
  }
}

// By bins of a grid that is wound around a torus, row by row: those beside one another stand beside
// one another in memory.
void Flock::sort() {
  const float per_bin = 1 / options_.range;
  const std::uint32_t mask = (1u << bits_) - 1;
  std::ranges::fill(starts_, 0u);
  bins_.clear();
  for (const Unit& unit : units_) {
    const std::uint32_t x = static_cast<std::uint32_t>(unit.at.x * per_bin) & mask;
    const std::uint32_t y = static_cast<std::uint32_t>(unit.at.y * per_bin) & mask;
    bins_.push_back(y << bits_ | x);
    ++starts_[bins_.back() + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  sorted_.resize(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::uint32_t place = starts_[bins_[i]]++;
    sorted_[place] = units_[i];
    slots_[units_[i].slot].unit = place;
  }
  std::copy_backward(starts_.begin(), starts_.end() - 1, starts_.end());
  starts_[0] = 0;
  units_.swap(sorted_);
}

// One unit and those of a row of bins.
void Flock::meet(std::uint32_t one, std::uint32_t first, std::uint32_t last) {
  const Unit& self = units_[one];
  Around& around = around_[one];
  const float range2 = options_.range * options_.range;
  const float soft = range2 * kSoft;
  const float at_range = 1 / (range2 + soft);
  for (std::uint32_t i = first; i < last; ++i) {
    const Unit& other = units_[i];
    Vec away = self.at - other.at;
    const float distance2 = square(away);
    if (distance2 >= range2) continue;
    if (distance2 == 0) away.x = self.slot < other.slot ? -kTogether : kTogether;
    Around& others = around_[i];
    // As one over the distance, but nothing at the range.
    const Vec push = away * (1 / (distance2 + soft) - at_range);
    around.apart = around.apart + push;
    others.apart = others.apart - push;
    if (other.group != self.group) continue;
    around.velocities = around.velocities + other.velocity;
    others.velocities = others.velocities + self.velocity;
    around.offsets = around.offsets - away;
    others.offsets = others.offsets + away;
    around.count += 1;
    others.count += 1;
  }
}

// Each pair once: the rest of one's bin, the next one, and three of the next row.
void Flock::look_around() {
  around_.assign(units_.size(), {});
  const std::uint32_t side = 1u << bits_;
  const std::uint32_t mask = side - 1;
  for (std::uint32_t bin = 0; bin < side * side; ++bin) {
    const std::uint32_t begin = starts_[bin];
    const std::uint32_t end = starts_[bin + 1];
    if (begin == end) continue;
    const std::uint32_t x = bin & mask;
    const std::uint32_t row = (((bin >> bits_) + 1) & mask) << bits_;
    const bool inner = x > 0 && x < mask;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (inner) {
        meet(i, i + 1, starts_[bin + 2]);
        meet(i, starts_[row + x - 1], starts_[row + x + 2]);
        continue;
      }
      const std::uint32_t next = (bin & ~mask) | ((x + 1) & mask);
      meet(i, i + 1, end);
      meet(i, starts_[next], starts_[next + 1]);
      for (const std::uint32_t to : {(x - 1) & mask, x, (x + 1) & mask}) {
        meet(i, starts_[row + to], starts_[row + to + 1]);
      }
    }
  }
}

// To the nearest cell around that the field covers and that is seen.
Vec Flock::to_field(const Unit& unit, Group& group) const {
  const grid::Cell cell = unit.cell;
  ++group.strays;
  const grid::Layout& layout = layer_.layout();
  for (int around = 1; around <= static_cast<int>(kMaxStray); ++around) {
    for (int dy = -around; dy <= around; ++dy) {
      const bool edge = dy == -around || dy == around;
      for (int dx = -around; dx <= around; dx += edge ? 1 : 2 * around) {
        const int x = cell.x + dx;
        const int y = cell.y + dy;
        if (x < 0 || y < 0) continue;
        const grid::Cell to{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
        if (!layout.contains(to) || !group.field->cost(to)) continue;
        if (grid::follow_line(layer_, grid::middle_of(cell), grid::middle_of(to)).hit) continue;
        return Vec{(static_cast<float>(x) + 0.5F) * size_, (static_cast<float>(y) + 0.5F) * size_} -
               unit.at;
      }
    }
  }
  return {};
}

// Where the field leads, at full speed.
Vec Flock::along_field(const Unit& unit, Group& group) const {
  const grid::Cell cell = unit.cell;
  const grid::Direction direction = group.field->direction(cell);
  Vec there;
  if (direction < grid::kNoDirection) {
    const grid::Cell next = grid::beside(cell, direction);
    there = Vec{(static_cast<float>(next.x) + 0.5F) * size_,
                (static_cast<float>(next.y) + 0.5F) * size_} -
            unit.at;
  } else if (cell == group.goal_cell || group.field->cost(cell)) {
    there = group.goal - unit.at;
  } else {
    there = to_field(unit, group);
  }
  const float distance2 = square(there);
  return distance2 > 0 ? there * (options_.speed / std::sqrt(distance2)) : Vec{};
}

// Away from the cells beside its own that are no ground and that it touches.
Vec Flock::off_walls(const Unit& unit) const {
  const grid::Cell cell = unit.cell;
  const unsigned moves = layer_.moves()[layer_.layout().index(cell)];
  if ((moves & 0x0f) == 0x0f) return {};
  const Vec low{static_cast<float>(cell.x) * size_, static_cast<float>(cell.y) * size_};
  const Vec in = unit.at - low;
  const float reach = std::min(options_.radius, size_ / 2);
  Vec push;
  if ((moves & 1) == 0 && size_ - in.x < reach) push.x -= 1 - (size_ - in.x) / reach;
  if ((moves & 2) == 0 && size_ - in.y < reach) push.y -= 1 - (size_ - in.y) / reach;
  if ((moves & 4) == 0 && in.x < reach) push.x += 1 - in.x / reach;
  if ((moves & 8) == 0 && in.y < reach) push.y += 1 - in.y / reach;
  return push * (kOffWalls * options_.speed);
}

// Into the next cell only by a move that there is; otherwise along its border.
void Flock::move(Unit& unit, Vec to) const {
  const grid::Cell from = unit.cell;
  const grid::Cell cell = cell_of(to);
  if (cell == from) {
    unit.at = to;
    return;
  }
  const unsigned moves = layer_.moves()[layer_.layout().index(from)];
  const auto may = [&](int dx, int dy) { return (moves >> grid::direction_of(dx, dy) & 1) != 0; };
  const int dx = std::clamp(cell.x - from.x, -1, 1);
  const int dy = std::clamp(cell.y - from.y, -1, 1);
  const auto inside = [&](float value, std::uint16_t number) {
    const auto low = static_cast<float>(number);
    return std::clamp(value, (low + kInsideCell) * size_, (low + 1 - kInsideCell) * size_);
  };
  grid::Cell next = from;
  if (may(dx, dy)) {
    next = grid::beside(from, grid::direction_of(dx, dy));
  } else if (dx != 0 && dy != 0 && may(dx, 0)) {
    next = grid::beside(from, grid::direction_of(dx, 0));
  } else if (dx != 0 && dy != 0 && may(0, dy)) {
    next = grid::beside(from, grid::direction_of(0, dy));
  }
  unit.at = {inside(to.x, next.x), inside(to.y, next.y)};
  unit.cell = next;
}

Result<void> Flock::step(float seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return Error(Errc::bad_option, "seconds");
  seconds = std::min(seconds, static_cast<float>(kMaxStep) / 1000);
  check_ground();
  looked_ = !looked_;
  if (looked_) {
    sort();
    look_around();
  }
  for (Group& group : groups_) {
    // So large that all have room in it without being around each other.
    group.radius = options_.range * std::sqrt(static_cast<float>(group.units) / kPi) + size_;
    group.strays = 0;
  }
  const float most_change = options_.acceleration * seconds;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    Unit& unit = units_[i];
    Group& group = groups_[unit.group];
    const Around& around = around_[i];
    if (!unit.arrived && square(group.goal - unit.at) <= group.radius * group.radius) {
      unit.arrived = true;
      ++group.arrived;
    }
    Vec wish;
    if (!unit.arrived) {
      wish = along_field(unit, group);
      if (around.count > 0) {
        const float each = 1 / around.count;
        wish = wish + (around.velocities * each - unit.velocity) * options_.alignment +
               around.offsets * (each * options_.cohesion);
      }
    }
    wish = wish + around.apart * (options_.separation * options_.speed * kApart) + off_walls(unit);
    wish = at_most(wish, options_.speed);
    unit.velocity = unit.velocity + at_most(wish - unit.velocity, most_change);
    const Vec way = at_most(unit.velocity * seconds, size_);
    if (way != Vec{}) move(unit, unit.at + way);
  }
  return {};
}

}  // namespace starbus::nav::crowd
