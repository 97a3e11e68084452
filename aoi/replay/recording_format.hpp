/// The bytes of a recording: a magic number, a format, the world's options; then operations, each a
/// byte for its kind and its arguments. recording.cpp writes them, replay.cpp reads them.
#pragma once

#include <cstdint>

namespace starbus::aoi {

inline constexpr std::uint32_t kRecordingMagic = 0x52494f41;  // "AOIR"
inline constexpr std::uint8_t kRecordingFormat = 3;           // 1 had no set_radius, 2 no set_epoch

/// The kind of an operation in a recording. New ones come at the end.
enum class Op : std::uint8_t {
  update = 1,
  add,
  remove,
  move,
  set_flags,
  set_weight,
  add_sensor,
  remove_sensor,
  set_options,
  force,
  set_beacon,
  set_special,
  adopt,
  set_radius,
  set_epoch,
};

}  // namespace starbus::aoi
