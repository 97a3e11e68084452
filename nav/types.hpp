/// Basic values of nav/: points, places, kinds of ground, ids. Plain values.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace starbus::nav {

/// Metres. x and y span the plane, z is the height.
struct Point {
  float x = 0;
  float y = 0;
  float z = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// Whether all coordinates are numbers and not infinite.
inline bool finite(const Point& at) {
  return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}

/// An upright box, borders included.
struct Box {
  Point low;
  Point high;
  friend bool operator==(const Box&, const Box&) = default;
};

/// A point on the ground, and the piece of the ground that it lies on: what queries return, and
/// begin with. A piece that is gone is noticed: the query answers bad_start or bad_goal.
struct Place {
  Point point;
  std::uint64_t piece = 0;  ///< the ground's own name of it; 0: of none
  friend bool operator==(const Place&, const Place&) = default;
};

/// What a piece of ground is like: road, swamp, water. The game numbers its areas 1..kMaxArea.
using Area = std::uint8_t;
/// No agent passes it, whatever its filter says.
inline constexpr Area kWall = 0;
/// What ground is if nothing else is said.
inline constexpr Area kPlain = 1;

/// A kind of agent that a ground knows: from Ground::add_agent.
struct AgentId {
  std::uint32_t value = 0;  ///< 0 names none
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const AgentId&, const AgentId&) = default;
};

/// Names one of a table: an index, and a generation above it, so that a removed one is not taken
/// for its successor.
template <class Of>
struct SlotId {
  std::uint32_t value = 0;  ///< 0 names none

  /// Of the index, which is below 65,535.
  static constexpr SlotId of(std::uint32_t index, std::uint16_t generation) {
    return {std::uint32_t{generation} << 16 | (index + 1)};
  }
  constexpr std::uint32_t index() const { return (value & 0xffff) - 1; }
  constexpr std::uint32_t generation() const { return value >> 16; }
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const SlotId&, const SlotId&) = default;
};
using ObstacleId = SlotId<struct Obstacle>;  ///< also a door
using LinkId = SlotId<struct Link>;

}  // namespace starbus::nav
