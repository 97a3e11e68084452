/// The first bytes of what properties write: a form that reads another's bytes, or those of another
/// version, refuses them at once.
#pragma once

#include <cstdint>

namespace starbus::entity {

inline constexpr std::uint8_t kDeltaForm = 0xd1;
inline constexpr std::uint8_t kSnapshotForm = 0xa1;
inline constexpr std::uint8_t kSavedForm = 0xe1;

}  // namespace starbus::entity
