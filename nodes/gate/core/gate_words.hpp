/// What gates say to each other when a session goes from one to another. docs/design/sessions.md
/// says when; here are the bytes.
///
/// Numbers are varints; the first byte says which word it is. A decoder treats its bytes as
/// hostile: sizes are checked before anything is allocated, and each word has one form only. Pure
/// functions; any thread.
#pragma once

#include <chrono>
#include <variant>

#include "nodes/gate/core/hand_over.hpp"
#include "nodes/gate/core/part_order.hpp"
#include "nodes/gate/core/request_table.hpp"
#include "nodes/gate/core/spoken.hpp"
#include "nodes/gate/core/token_pair.hpp"

namespace starbus::nodes::gate {

/// A client has come to me with this session: give it to me.
struct Give {
  SessionId session{};
  Key token{};  // the proof: the client's own
  Position position{};
  GateId taker{};
  std::string address{};     // of the taker, as clients use it; may be empty
  std::uint64_t number = 0;  // the taker's; comes back
};
/// It is not given.
struct NoGive {
  SessionId session{};
  std::uint64_t number = 0;  // of the Give
  CloseReason reason = CloseReason::token;
  bool reenter = false;  // the client may try the signed part of its token
};
/// The session is yours, under the turn after this one. Everything that its new owner must know.
struct Take {
  SessionId session{};
  GateId giver{};
  std::string account{};
  std::string subject{};
  std::uint64_t login = 0;
  bus::Bytes reentry{};
  std::chrono::milliseconds away{};  // how long its client has been away
  TokenPair::State tokens{};
  HandOver hand{};  // without what is of the giver alone
  PartOrder::State order{};
  PacketWindow::State window{};
  RequestTable::State requests{};
  std::vector<std::string> groups{};
  std::vector<SpokenSeen::Origin> spoken{};
};
/// What a home has said to the gate that had the session.
struct ForwardedParts {
  Introduction at{};
  bus::Process home{};
  std::uint64_t first = 0;
  std::vector<Part> parts{};
};
/// What was said to a group that the session is in.
struct ForwardedSpoken {
  bus::Process origin{};
  std::uint64_t number = 0;
  std::string group{};
  Body body{};  // a Spoken
};
/// What came for a session after it was given away, in order.
struct Forwarded {
  SessionId session{};
  std::uint8_t hops = 1;
  std::variant<ForwardedParts, sessions::Bound, sessions::End, ForwardedSpoken, Give> what{};
};
/// Everything that you may have forwarded has come: forget the session.
struct StubDone {
  SessionId session{};
  std::uint32_t turn = 0;
};
using GateWord = std::variant<Give, NoGive, Take, Forwarded, StubDone>;

/// What a gate answers a Take. The others have no answer.
enum class Taken : std::uint8_t {
  taken = 0,
  full = 1,     ///< no room: the giver keeps the session
  refused = 2,  ///< it has the session itself, under a turn as high
};

/// Appends. False, with nothing appended: a Take beyond kTakeBytes.
[[nodiscard]] bool encode(const GateWord& word, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<GateWord> decode_gate_word(bus::ByteView bytes);
/// One byte.
void encode(Taken answer, bus::Bytes& out);
/// Errors: malformed, truncated, trailing.
entity::DataResult<Taken> decode_taken(bus::ByteView bytes);

}  // namespace starbus::nodes::gate
