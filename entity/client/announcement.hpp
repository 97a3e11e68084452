/// What a server says to a group of clients: one message to each gate (kGatesGroup), which hands it
/// out. Game code has entity/objects/announce.hpp. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"

namespace starbus::entity::sessions {

/// The group of all gates.
inline constexpr std::string_view kGatesGroup = "group/gates";

struct Announcement {
  std::uint64_t number = 0;  // of the process that says it: 1, 2, 3...
  std::string group{};       // empty: all clients
  std::string by{};          // the operator who says it, for the audit log; empty: game code
  bus::Bytes body{};         // a call, as in a part of kind `call`
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

/// The number of the next announcement of this process. Any thread.
std::uint64_t next_announcement();
/// Appends.
void encode(const Announcement& word, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
DataResult<Announcement> decode_announcement(bus::ByteView bytes);

}  // namespace starbus::entity::sessions
