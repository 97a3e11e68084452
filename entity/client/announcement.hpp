/// What a server says to a group of clients: one message to each gate (`group/gates`), which hands
/// it out. Pure functions; any thread.
#pragma once

#include <string>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"

namespace starbus::entity::sessions {

struct Announcement {
  std::uint64_t number = 0;  // of the process that says it: 1, 2, 3...
  std::string group{};       // empty: all clients
  bus::Bytes body{};         // a call, as in a part of kind `call`
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

/// Appends.
void encode(const Announcement& word, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
DataResult<Announcement> decode_announcement(bus::ByteView bytes);

}  // namespace starbus::entity::sessions
