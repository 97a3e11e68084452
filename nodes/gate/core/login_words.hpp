/// What a gate asks a login, and what that answers. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// The method of a client that comes back with the signed part of its token (`proof`).
inline constexpr const char* kReentryMethod = "reentry";

/// Opens a session for whoever can prove to be its player.
struct LoginAsk {
  SessionId session{};
  std::string method{};   // as the client has said it, or kReentryMethod
  std::string account{};  // likewise; may be empty
  bus::Bytes proof{};
  std::string address{};  // of the client, for limits by address
  friend bool operator==(const LoginAsk&, const LoginAsk&) = default;
};

/// The answer follows. May come several times.
struct LoginWaiting {
  std::uint64_t ahead = 0;    // clients before this one
  std::uint32_t seconds = 0;  // an estimate; 0: none
  friend bool operator==(const LoginWaiting&, const LoginWaiting&) = default;
};
/// The player may enter.
struct LoginAdmitted {
  std::string account{};    // its channel
  std::uint64_t login = 0;  // number of this proof of identity
  bus::Bytes ticket{};      // for the account: kTicketBytes at most
  bus::Bytes reentry{};     // for the client: kReentryBytes at most
  friend bool operator==(const LoginAdmitted&, const LoginAdmitted&) = default;
};
/// It may not.
struct LoginRefused {
  CloseReason reason = CloseReason::denied;
  std::uint32_t retry_ms = 0;
  std::string text{};
  friend bool operator==(const LoginRefused&, const LoginRefused&) = default;
};
using LoginAnswer = std::variant<LoginWaiting, LoginAdmitted, LoginRefused>;

}  // namespace starbus::nodes::gate
