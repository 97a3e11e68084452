/// The numbers of a session, as docs/design/sessions.md has them. Plain values; any thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "bus/core/wire/ids.hpp"

namespace starbus::entity::sessions {

/// Of any clock that goes on through moves by what passes there.
using LinkTime = std::chrono::milliseconds;

/// 128 random bits: the id of a session, a secret, or the hash of one.
struct Key {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  /// Neither an id nor a secret is zero.
  explicit operator bool() const { return (high | low) != 0; }
  friend auto operator<=>(const Key&, const Key&) = default;
};
using SessionId = Key;

/// The hash of a secret: the first 128 bits of SHA-256.
Key seal_of(const Key& secret);

/// Drawn by the account: (its owner epoch, a counter). Grows for ever.
struct Bind {
  std::uint64_t epoch = 0;
  std::uint64_t counter = 0;
  friend auto operator<=>(const Bind&, const Bind&) = default;
};

/// Drawn by the home: (the entity's owner epoch, a counter). {0, 0}: none was seen.
struct Run {
  std::uint64_t epoch = 0;
  std::uint64_t counter = 0;
  friend auto operator<=>(const Run&, const Run&) = default;
};

/// A gate: its channel, and the process that owned that when it took the session. A gate that
/// restarts under its name is another one.
struct GateId {
  std::string channel;
  bus::Process process{};
  friend bool operator==(const GateId&, const GateId&) = default;
};

/// Why a stretch, or a session, has ended.
enum class Reason : std::uint8_t {
  replaced = 1,  ///< a later login has the entity now
  switched = 2,  ///< the account plays another entity
  away = 3,      ///< the client has not come back within kAwayTime
  too_slow = 4,  ///< it does not acknowledge what it gets
  ended = 5,     ///< the entity has ended, or has let its client go
  fault = 6,     ///< its gate has passed over a request
};
std::string_view name_of(Reason reason);

/// What is known of the requests of a login when they go from one subject to the next.
struct Closing {
  std::uint64_t login = 0;
  std::uint64_t up_done = 0;
  Bind since{};                     // up_done says nothing of requests under an earlier bind
  std::vector<std::uint64_t> open;  // begun and not answered, in order
  friend bool operator==(const Closing&, const Closing&) = default;
};

/// The number by which a gate names a client in a call on its behalf (rpc::CallOptions::client).
std::uint64_t client_number(const SessionId& session, const Bind& bind);

}  // namespace starbus::entity::sessions
