/// The bits that begin a body, and what both ends of the codec agree on. Constants.
#pragma once

#include <cstdint>

namespace starbus::nodes::movement {

/// The first byte of a batch.
inline constexpr std::uint8_t kMoveFormat = 1;

// The first byte of a body, in its lowest bits.
inline constexpr std::uint8_t kFull = 1;          ///< floats follow, not steps of the grid
inline constexpr std::uint8_t kGrounded = 2;      ///< without z
inline constexpr std::uint8_t kFine = 4;          ///< heading in 16 bits, and pitch with the mode
inline constexpr std::uint8_t kMoving = 8;        ///< velocity at the end
inline constexpr std::uint8_t kModeIsThere = 16;  ///< mode, and pitch if fine
inline constexpr std::uint8_t kOddTeleports = 32;
inline constexpr unsigned kFlagBits = 6;
/// Of x and y each, in steps of the grid.
inline constexpr unsigned kPlaceBits = 21;

/// ms of a step of the age, and the most that it says.
inline constexpr std::int32_t kAgeStep = 2;
inline constexpr std::int32_t kMostAge = 510;

}  // namespace starbus::nodes::movement
