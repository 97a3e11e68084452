/// The first bytes of encoded properties: a form that reads another's bytes, or those of another
/// version, refuses them at once.
#pragma once

#include <cstdint>

namespace starbus::entity {

/// The first byte of a delta, a snapshot, and a saved state.
inline constexpr std::uint8_t kDeltaForm = 0xd2;
inline constexpr std::uint8_t kSnapshotForm = 0xa2;
inline constexpr std::uint8_t kSavedForm = 0xe1;

/// In a delta, with the audience: what follows is not the changes in their order, but the newest
/// value of each part that has changed.
inline constexpr std::uint8_t kNewestBit = 0x80;

/// No entity reaches so many ticks: a larger stamp is malformed, and stamps cannot overflow.
inline constexpr std::uint64_t kMaxStamp = std::uint64_t{1} << 62;

}  // namespace starbus::entity
