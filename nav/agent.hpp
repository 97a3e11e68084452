/// Who walks: what a kind of agent may pass, what areas cost it, and how wide it is. Plain values.
#pragma once

#include <array>
#include <cstdint>

#include "nav/limits.hpp"
#include "nav/types.hpp"

namespace starbus::nav {

/// What all areas are like for everybody: flags that agents ask for. A ground has one table.
struct Areas {
  /// By area. 1 is "can be walked on", the other bits are the game's: water, door of the guild.
  std::array<std::uint16_t, kMaxArea + 1> flags = {};

  /// Every area can be walked on, but for kWall.
  constexpr Areas() {
    for (std::size_t area = 1; area < flags.size(); ++area) flags[area] = 1;
  }
  friend bool operator==(const Areas&, const Areas&) = default;
};

/// A kind of agent. It passes an area that has a flag of `include` and none of `exclude`.
struct Agent {
  std::uint16_t include = 0xffff;
  std::uint16_t exclude = 0;
  float radius = 0;  ///< m; it keeps that far from what it cannot pass
  float climb = 1;   ///< m; the highest step between two neighbouring pieces of ground, up or down
  /// What a metre costs, by area: 1..kMaxAreaCost.
  std::array<std::uint8_t, kMaxArea + 1> costs;

  constexpr Agent() { costs.fill(1); }
  friend bool operator==(const Agent&, const Agent&) = default;

  /// Whether it may stand on ground of an area with these flags.
  constexpr bool passes(std::uint16_t flags) const {
    return (flags & include) != 0 && (flags & exclude) == 0;
  }
};

}  // namespace starbus::nav
