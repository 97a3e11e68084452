#include "nav/grid/jump_table.hpp"

#include <cstdlib>

namespace starbus::nav::grid {
namespace {

class Builder {
 public:
  Builder(const Layout& layout, const Rules& rules, std::span<const Mask> moves,
          std::span<const Mask> around)
      : layout_(layout),
        rules_(rules),
        moves_(moves),
        around_(around),
        distances_(std::size_t{layout.count()} * 8) {}

  std::span<const std::int16_t> build() {
    // Diagonals after their parts.
    for (Direction direction = 0; direction < 8; ++direction) fill(direction);
    return distances_;
  }

 private:
  // Each cell after the one that the direction leads to.
  void fill(Direction direction) {
    const std::uint32_t first = layout_.index(Cell{0, 0});
    for (std::uint32_t i = 0; i < layout_.height; ++i) {
      const std::uint32_t y = kStepY[direction] < 0 ? i : layout_.height - 1 - i;
      for (std::uint32_t j = 0; j < layout_.width; ++j) {
        const std::uint32_t x = kStepX[direction] < 0 ? j : layout_.width - 1 - j;
        fill(first + y * layout_.stride + x, direction);
      }
    }
  }

  void fill(std::uint32_t index, Direction direction) {
    if ((moves_[index] >> direction & 1) == 0) return;
    const std::uint32_t next = index + static_cast<std::uint32_t>(layout_.offset(direction));
    const std::int16_t* there = &distances_[std::size_t{next} * 8];
    bool jump_point = rules_.forced[direction][around_[next]] != 0;
    if (diagonal(direction)) {
      jump_point = jump_point || there[part_x(direction)] > 0 || there[part_y(direction)] > 0;
    }
    const std::int16_t beyond = there[direction];
    const int distance = jump_point ? 1 : beyond > 0 ? beyond + 1 : beyond - 1;
    distances_[std::size_t{index} * 8 + direction] = static_cast<std::int16_t>(distance);
  }

  const Layout& layout_;
  const Rules& rules_;
  std::span<const Mask> moves_;
  std::span<const Mask> around_;
  std::vector<std::int16_t> distances_;
};

}  // namespace

void JumpTable::build(const Layout& layout, const Rules& rules, std::span<const Mask> moves,
                      std::span<const Mask> around) {
  Builder builder(layout, rules, moves, around);
  const auto distances = builder.build();
  distances_.resize(distances.size());
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const bool far = std::abs(int{distances[i]}) > kFarStep;
    distances_[i] = static_cast<std::int8_t>(far ? kFar : distances[i]);
  }
}

}  // namespace starbus::nav::grid
