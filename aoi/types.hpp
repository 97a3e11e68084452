/// Basic values of aoi/: positions, ids, filters, events. Plain values.
#pragma once

#include <compare>
#include <cstdint>

namespace starbus::aoi {

/// Metres. z is the height; it matters only to sensors with height limits and to regions.
struct Position {
  float x = 0;
  float y = 0;
  float z = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// 20 bits of index and 12 of generation, so that a removed id is not taken for its successor.
template <class Tag>
struct Id {
  std::uint32_t value = 0;  ///< 0 names nothing

  /// An index in the low bits, a generation above them.
  static constexpr std::uint32_t kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;
  constexpr std::uint32_t index() const { return value & kIndexMask; }
  constexpr std::uint32_t generation() const { return value >> kIndexBits; }
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};
using EntityId = Id<struct EntityTag>;
using SensorId = Id<struct SensorTag>;

/// Selects entities by their 64 flags.
struct Filter {
  std::uint64_t any = 0;     ///< at least one of these; 0: not required
  std::uint64_t need = 0;    ///< all of these
  std::uint64_t forbid = 0;  ///< none of these

  /// Whether an entity with these flags is seen.
  constexpr bool passes(std::uint64_t flags) const {
    return (flags & forbid) == 0 && (flags & need) == need && (any == 0 || (flags & any) != 0);
  }
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// The form of a range.
enum class Metric : std::uint8_t {
  circle,  ///< within the radius, border included
  square,  ///< both |dx| and |dy| at most the radius
};

enum class Kind : std::uint8_t { leave, enter };

/// Why a target entered or left.
enum class Reason : std::uint8_t {
  geometry,  ///< it moved, or the observer, or the sensor was changed
  filter,    ///< its flags changed
  forced,    ///< it was forced, or no longer is
  limit,     ///< a nearer or more important one took its place, or a place became free
  removed,   ///< one of the two is gone
};

/// A target has entered what a sensor sees, or left it.
struct Event {
  SensorId sensor;
  EntityId observer;  ///< whose sensor it is
  EntityId target;
  Kind kind = Kind::leave;
  Reason reason = Reason::geometry;
  /// The target's 16-bit number in this sensor's own numbering; 0 without SensorOptions::indexed.
  std::uint16_t index = 0;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace starbus::aoi
