/// Where something is, where it looks and how it moves: the value that players report, that the
/// server keeps, and that others see. Plain values and pure functions; any thread.
/// docs/guide/movement.md has the contract of movement; this header is the first to read.
#pragma once

#include <cstdint>

#include "aoi/types.hpp"
#include "nodes/space/movement/error.hpp"

namespace starbus::nodes::movement {

/// Metres; z is the height.
using aoi::Position;

/// Metres per second.
struct Velocity {
  float x = 0;
  float y = 0;
  float z = 0;  ///< up
  friend bool operator==(const Velocity&, const Velocity&) = default;
};

/// The state of movement of one player or monster: 44 bytes.
struct Locomotion {
  Position position;
  Velocity velocity;
  float heading = 0;           ///< radians around z: 0 is along x, a quarter turn is along y
  float pitch = 0;             ///< radians: up is positive
  std::uint32_t at = 0;        ///< server time in ms; wraps after 49 days
  std::uint8_t mode = 0;       ///< of the game: walks, swims, flies. The commonest should be 0
  std::uint8_t teleports = 0;  ///< counts them, and wraps: nothing is shown between two places
  bool grounded = true;        ///< z is that of the ground, which observers know
  friend bool operator==(const Locomotion&, const Locomotion&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, heading, pitch,
            at, mode, teleports, grounded);
  }
};

/// not_finite, too_far; ok for what may be kept, compared and encoded.
MoveResult<> check(const Locomotion& move);
/// The same for a place.
MoveResult<> check(const Position& place);

/// `later` - `earlier`, of times or numbers that wrap: right while they lie less than 2^31 apart.
constexpr std::int32_t since(std::uint32_t later, std::uint32_t earlier) {
  return static_cast<std::int32_t>(later - earlier);
}

/// Metres between two places.
double distance(const Position& a, const Position& b);

}  // namespace starbus::nodes::movement
