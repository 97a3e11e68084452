/// Deflated packets, which a gate sends to clients that can read them. A pure function; any thread.
#pragma once

#include <optional>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// Bit of the features in Hello and Greeting.
inline constexpr std::uint64_t kInflates = 1;

/// Whether this frame is a deflated packet.
bool is_deflated(ByteView frame);
/// The packet as it was. nullopt: malformed, or its body is above kPacketBytes; no more than that
/// is ever written, whatever the bytes ask for.
std::optional<Bytes> inflate_packet(ByteView frame);

}  // namespace starbus::game
