/// What gates ask a login, and what it answers: docs/design/login.md has the bytes.
///
/// A decoder treats its bytes as hostile: sizes are checked before anything is allocated, and each
/// word has one form only. Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// The method of a client that comes back with the signed part of its token (`proof`).
inline constexpr const char* kReentryMethod = "reentry";

/// Opens a session for a client that can prove to be its player. Texts and proof are the client's:
/// hostile.
struct LoginAsk {
  SessionId session{};      // that the gate has drawn
  sessions::GateId gate{};  // that asks; its process is not said, as the bus says who calls
  std::string method{};     // as the client has said it, or kReentryMethod
  std::string account{};    // likewise; may be empty
  bus::Bytes proof{};
  std::string address{};  // of the client, as the gate sees it
  friend bool operator==(const LoginAsk&, const LoginAsk&) = default;
};

/// It waits in the queue. Said again when it changes, at most every kQueueTell.
struct LoginWaiting {
  std::uint64_t ahead = 0;    // clients before this one
  std::uint32_t seconds = 0;  // an estimate; 0: none
  friend bool operator==(const LoginWaiting&, const LoginWaiting&) = default;
};
/// The player may enter; the last answer.
struct LoginAdmitted {
  std::string account{};    // its channel
  std::uint64_t login = 0;  // number of this proof of identity
  bus::Bytes ticket{};      // for the account, with BindSession: kTicketBytes at most
  bus::Bytes reentry{};     // for the client, with Welcome: likewise
  friend bool operator==(const LoginAdmitted&, const LoginAdmitted&) = default;
};
/// It may not; the last answer.
struct LoginRefused {
  CloseReason reason = CloseReason::denied;
  std::uint32_t retry_ms = 0;
  std::string text{};  // for the player
  friend bool operator==(const LoginRefused&, const LoginRefused&) = default;
};
using LoginAnswer = std::variant<LoginWaiting, LoginAdmitted, LoginRefused>;

/// An answer, and for which session.
struct LoginTold {
  SessionId session{};
  LoginAnswer answer{};
  friend bool operator==(const LoginTold&, const LoginTold&) = default;
};

/// Each appends.
void encode(const LoginAsk& ask, bus::Bytes& out);
void encode(const LoginTold& told, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<LoginAsk> decode_login_ask(bus::ByteView bytes);
/// As decode_login_ask().
entity::DataResult<LoginTold> decode_login_told(bus::ByteView bytes);

}  // namespace starbus::nodes::gate
