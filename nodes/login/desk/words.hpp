/// What gates ask a login, and what it answers. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

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

}  // namespace starbus::nodes::login
