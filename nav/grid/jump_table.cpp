#include "nav/grid/jump_table.hpp"

namespace starbus::nav::grid {

void JumpTable::build(const Layout& layout, const Rules& rules, std::span<const Mask> moves,
                      std::span<const Mask> around) {
  distances_.assign(std::size_t{layout.count()} * 8, 0);
  const auto first = layout.index(Cell{0, 0});
  const auto row = [&](std::uint32_t y, bool rising, Direction direction) {
    for (std::uint32_t i = 0; i < layout.width; ++i) {
      const std::uint32_t x = rising ? i : layout.width - 1 - i;
      fill(first + y * layout.stride + x, direction, layout, rules, moves, around);
    }
  };
  // Each cell after the one that its direction leads to; diagonals after their parts.
  const auto rows = [&](Direction direction) {
    for (std::uint32_t i = 0; i < layout.height; ++i) {
      const std::uint32_t y = kStepY[direction] < 0 ? i : layout.height - 1 - i;
      row(y, kStepX[direction] < 0, direction);
    }
  };
  for (Direction direction = 0; direction < 8; ++direction) rows(direction);
}

void JumpTable::fill(std::uint32_t index, Direction direction, const Layout& layout,
                     const Rules& rules, std::span<const Mask> moves,
                     std::span<const Mask> around) {
  if ((moves[index] >> direction & 1) == 0) return;
  const std::uint32_t next = index + static_cast<std::uint32_t>(layout.offset(direction));
  const std::int16_t* there = at(next);
  bool jump_point = rules.forced[direction][around[next]] != 0;
  if (diagonal(direction)) {
    jump_point = jump_point || there[part_x(direction)] > 0 || there[part_y(direction)] > 0;
  }
  const std::int16_t beyond = there[direction];
  const int distance = jump_point ? 1 : beyond > 0 ? beyond + 1 : beyond - 1;
  distances_[std::size_t{index} * 8 + direction] = static_cast<std::int16_t>(distance);
}

}  // namespace starbus::nav::grid
