/// The release that this tree builds, and the protocol version that it speaks. Peers say their
/// highest minor version in hello, and their session speaks the lower of both; so a cluster is
/// upgraded host by host, one minor version at a time.
#pragma once

#include <cstdint>
#include <string>

#include "bus/core/error.hpp"

namespace starbus::bus {

/// Shown to people in hello, logs and admin answers.
inline constexpr const char* kVersion = "0.1.0";

/// The highest version that this release speaks. Another major version ends the session.
inline constexpr std::uint8_t kVersionMajor = 1;
inline constexpr std::uint8_t kVersionMinor = 2;
/// The minor version that brought each feature: a session of an older one does not use it.
inline constexpr std::uint8_t kTraceMinor = 1;
inline constexpr std::uint8_t kRoomMinor = 1;
inline constexpr std::uint8_t kVitalsMinor = 1;
inline constexpr std::uint8_t kDurableMinor = 1;   // resume, posted
inline constexpr std::uint8_t kMailMinor = 1;      // readers of mail
inline constexpr std::uint8_t kOwnerAgeMinor = 2;  // in NACK lineage
inline constexpr std::uint8_t kUndeliveredMinor = 2;
inline constexpr std::uint8_t kTrustMinor = 2;  // server/HOST.NODE
inline constexpr std::uint8_t kAdminRoleMinor = 2;
inline constexpr std::uint8_t kRowsTakenMinor = 2;  // rows_taken, Welcome::granted
inline constexpr std::uint8_t kWithdrawMinor = 2;

/// "1.0".
std::string protocol_text(std::uint8_t minor);

/// version_mismatch: the two are more than one minor version apart.
Result<> check_minor(std::uint8_t theirs, std::uint8_t ours);

}  // namespace starbus::bus
