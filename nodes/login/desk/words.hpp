/// What gates ask a login, and what it answers: docs/design/login.md has the bytes.
///
/// A decoder treats its bytes as hostile: sizes are checked before anything is allocated, and each
/// word has one form only. Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "entity/archive/error.hpp"
#include "entity/client/ids.hpp"
#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::login {

/// From a gate, for one of its clients. Texts and proof are the client's: hostile.
struct Ask {
  entity::sessions::SessionId session{};  // that the gate has drawn
  entity::sessions::GateId gate{};        // who asks, as the bus says it
  std::string method{};
  std::string account{};
  bus::Bytes proof{};
  std::string address{};  // of the client, as the gate sees it
  friend bool operator==(const Ask&, const Ask&) = default;
};

/// It waits in the queue. Said again when it changes, at most every kQueueTell.
struct Waiting {
  std::uint64_t ahead = 0;
  std::uint32_t seconds = 0;  // an estimate; 0: none
  friend bool operator==(const Waiting&, const Waiting&) = default;
};
/// It is in; the last answer.
struct Admitted {
  std::string account{};  // its channel
  std::uint64_t login = 0;
  bus::Bytes ticket{};   // for the account, with BindSession
  bus::Bytes reentry{};  // for the client, with Welcome
  friend bool operator==(const Admitted&, const Admitted&) = default;
};
/// It is not; the last answer.
struct Refused {
  gate::CloseReason reason = gate::CloseReason::denied;
  std::uint32_t retry_ms = 0;
  std::string text{};  // for the player
  friend bool operator==(const Refused&, const Refused&) = default;
};
using Answer = std::variant<Waiting, Admitted, Refused>;
/// An answer, and for whom: it goes to the channel of the gate.
struct Told {
  entity::sessions::SessionId session{};
  Answer answer{};
  friend bool operator==(const Told&, const Told&) = default;
};

/// Each appends. The process of the gate is not said: the bus says who calls.
void encode(const Ask& ask, bus::Bytes& out);
void encode(const Told& told, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<Ask> decode_ask(bus::ByteView bytes);
/// As decode_ask().
entity::DataResult<Told> decode_told(bus::ByteView bytes);

}  // namespace starbus::nodes::login
