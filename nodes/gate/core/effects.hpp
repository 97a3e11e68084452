/// What a GateCore wants done, in order. Plain values; the shell takes them (GateCore::take()) and
/// does them. A question with a number other than 0 is answered through GateCore::outcome().
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "nodes/gate/core/gate_words.hpp"
#include "nodes/gate/wire/login_words.hpp"

namespace starbus::nodes::gate {

/// A connection of a client, as the shell numbers it: never reused. 0: none.
using ConnectionId = std::uint64_t;
/// Of a clock that only grows.
using GateTime = std::chrono::milliseconds;

/// One frame for one connection.
struct SendFrame {
  ConnectionId to = 0;
  ToClient frame{};
};
/// The body is shared by all that get it: it is to be encoded once.
struct SendPacket {
  ConnectionId to = 0;
  Parcel packet{};
};
/// After what was sent before.
struct HangUp {
  ConnectionId connection = 0;
};
/// A call to a subject, on one lane; answered by a sessions::Answer.
struct TellSubject {
  std::uint64_t question = 0;  // 0: no outcome is wanted
  std::string subject{};       // its channel
  sessions::ToSubject word{};
};
/// A call to an account; answered by a sessions::AccountAnswer.
struct TellAccount {
  std::uint64_t question = 0;
  std::string account{};
  sessions::AskAccount word{};
};
/// Nobody owns this account: have it loaded where accounts live.
struct LoadAccount {
  std::string account{};
};
/// A call to a login; its answers come through GateCore::login_said().
struct TellLogin {
  std::uint64_t question = 0;
  LoginAsk ask{};
};
/// The client does not wait for this question any more.
struct ForgetLogin {
  std::uint64_t question = 0;
};
/// To another gate, on one lane; a Take is a call, answered by a Taken.
struct TellGate {
  std::uint64_t question = 0;
  std::string gate{};  // its channel
  GateWord word{};
};

using Effect = std::variant<SendFrame, SendPacket, HangUp, TellSubject, TellAccount, LoadAccount,
                            TellLogin, ForgetLogin, TellGate>;

/// How a call ended.
enum class Outcome : std::uint8_t {
  ok = 0,          ///< with the bytes of an answer
  no_owner = 1,    ///< nobody owns the channel: not handled
  owner_lost = 2,  ///< the owner died, or did not answer in time: handled or not
  refused = 3,     ///< the bus, or the receiver, does not let this gate: not handled
};

}  // namespace starbus::nodes::gate
