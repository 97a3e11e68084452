/// What gates, accounts and the entity that a client plays (the subject) say to each other, but for
/// the parts of a stream (parts.hpp). docs/design/sessions.md says when; here are the bytes.
///
/// Numbers are varints; the first byte says which word it is. A decoder treats its bytes as
/// hostile: sizes are checked before anything is allocated, and each word has one form only. Pure
/// functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"
#include "entity/client/ids.hpp"

namespace starbus::entity::sessions {

// --- to the subject ------------------------------------------------------------------------------

/// From the account: this session plays you.
struct SetLink {
  SessionId session{};
  GateId gate{};
  std::uint32_t turn = 0;
  Bind bind{};
  std::uint64_t login = 0;
  std::string account{};  // its channel
  Key seal{};             // of the pass that the next relink shows
  std::optional<Closing> closing{};
  friend bool operator==(const SetLink&, const SetLink&) = default;
};
/// From the account: it plays somebody else, or has ended.
struct Unlink {
  Bind bind{};
  Reason reason = Reason::switched;
  friend bool operator==(const Unlink&, const Unlink&) = default;
};
/// One hand-over: the secret whose seal the subject has, and the seal of the next one.
struct Pass {
  Key secret{};
  Key seal{};
  friend bool operator==(const Pass&, const Pass&) = default;
};
/// From the gate that owns the session since `turn`, or from the account on its behalf. The last
/// of the passes is that of this turn.
struct Relink {
  SessionId session{};
  Bind bind{};
  std::uint32_t turn = 0;
  GateId gate{};
  std::vector<Pass> passes{};
  friend bool operator==(const Relink&, const Relink&) = default;
};
/// From the gate: parts are missing from `next` on.
struct Resync {
  SessionId session{};
  std::uint32_t turn = 0;
  Bind bind{};
  Run run{};  // {0, 0}: it has seen none under this bind
  std::uint64_t next = 0;
  friend bool operator==(const Resync&, const Resync&) = default;
};
/// From the gate: it has heard nothing for a while.
struct Pulse {
  SessionId session{};
  std::uint32_t turn = 0;
  Bind bind{};
  Run run{};
  std::uint64_t next = 0;
  friend bool operator==(const Pulse&, const Pulse&) = default;
};
/// From the gate: the client has acknowledged all up to n, and may get so many bytes more.
struct Credit {
  SessionId session{};
  Bind bind{};
  Run run{};
  std::uint64_t n = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Credit&, const Credit&) = default;
};
/// From the gate: the client has not come back in time.
struct ClientGone {
  SessionId session{};
  Bind bind{};
  friend bool operator==(const ClientGone&, const ClientGone&) = default;
};
/// From a gate that got a part of a session which it does not have.
struct Unknown {
  SessionId session{};
  std::uint32_t turn = 0;  // of the part
  friend bool operator==(const Unknown&, const Unknown&) = default;
};
/// From the gate: a request of the client. Empty: the gate has refused it; the number counts.
struct Request {
  SessionId session{};
  std::uint32_t turn = 0;
  Bind bind{};
  std::uint64_t u = 0;
  bus::Bytes body{};
  friend bool operator==(const Request&, const Request&) = default;
};

using ToSubject =
    std::variant<SetLink, Unlink, Relink, Resync, Pulse, Credit, ClientGone, Unknown, Request>;

/// What a subject answers.
enum class AnswerKind : std::uint8_t {
  ok = 0,          ///< done; `run` and `next` are its own numbers
  dropped = 1,     ///< late, or said before: nothing was done
  replaced = 2,    ///< a session of a higher bind plays it: ask the account by whom
  not_linked = 3,  ///< it does not know this bind (yet): nothing was done; ask the account
  refused = 4,     ///< `turn` and `gate` are those that it obeys
  old = 5,         ///< of a set_link or unlink: it has obeyed a bind as high, which is `bind`
  ending = 6,      ///< it ends: load it again when its name is free
};
struct Answer {
  AnswerKind kind = AnswerKind::ok;
  Bind bind{};
  Run run{};
  std::uint64_t next = 0;
  std::uint32_t turn = 0;
  GateId gate{};
  std::optional<Closing> closing{};  // of an unlink
  friend bool operator==(const Answer&, const Answer&) = default;
};

// --- to the account ------------------------------------------------------------------------------

/// The subject has let its client go.
struct Left {
  SessionId session{};
  Bind bind{};
  std::string subject{};
  Reason reason = Reason::ended;
  Closing closing{};
  friend bool operator==(const Left&, const Left&) = default;
};
/// The subject's link is void, as a move was rolled back: it wants to be bound anew.
struct LinkLost {
  std::string subject{};
  friend bool operator==(const LinkLost&, const LinkLost&) = default;
};
using ToAccount = std::variant<Left, LinkLost>;

// --- to the account, with an answer --------------------------------------------------------------

/// From a login: somebody proves to be its player. The answer names the number of this login.
struct Prove {
  friend bool operator==(const Prove&, const Prove&) = default;
};
/// From a gate: a session that a login has opened. The same one again is answered as before.
struct BindSession {
  SessionId session{};
  GateId gate{};
  std::uint32_t turn = 0;
  Key seal{};           // of the pass that the next relink shows
  bus::Bytes ticket{};  // signed by a login: who proved, and when
  friend bool operator==(const BindSession&, const BindSession&) = default;
};
/// From a gate that has lost the subject of a session: whom does it play?
struct Where {
  SessionId session{};
  Bind bind{};  // the last that the gate knows
  friend bool operator==(const Where&, const Where&) = default;
};
using AskAccount = std::variant<Prove, BindSession, Where, Relink>;

/// What an account answers.
enum class AccountAnswerKind : std::uint8_t {
  ok = 0,        ///< `login` is drawn
  bound = 1,     ///< the session is the account's: bind, subject, login
  replaced = 2,  ///< a later login has the account
  ended = 3,     ///< the account has no such session
  refused = 4,   ///< the ticket is not good (any more); or, of a relink: turn and gate are those
                 ///< that the account knows
  later = 5,     ///< the store is busy: ask again
};
struct AccountAnswer {
  AccountAnswerKind kind = AccountAnswerKind::ok;
  Bind bind{};
  std::string subject{};
  std::uint64_t login = 0;
  std::uint32_t turn = 0;
  GateId gate{};
  friend bool operator==(const AccountAnswer&, const AccountAnswer&) = default;
};

// --- to a gate -----------------------------------------------------------------------------------

/// From the account: whom this session plays since this bind.
struct Bound {
  SessionId session{};
  Bind bind{};
  std::string subject{};
  friend bool operator==(const Bound&, const Bound&) = default;
};
/// From the account, or as last word from the subject: the session has ended. A bind that is not
/// above that of the gate's record is ignored.
struct End {
  SessionId session{};
  Bind bind{};
  Reason reason = Reason::replaced;
  std::optional<Closing> closing{};
  friend bool operator==(const End&, const End&) = default;
};
using ToGate = std::variant<Bound, End>;

/// Each appends.
void encode(const ToSubject& word, bus::Bytes& out);
void encode(const Answer& word, bus::Bytes& out);
void encode(const AccountAnswer& word, bus::Bytes& out);
void encode(const ToAccount& word, bus::Bytes& out);
void encode(const AskAccount& word, bus::Bytes& out);
void encode(const ToGate& word, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
DataResult<ToSubject> decode_to_subject(bus::ByteView bytes);
DataResult<Answer> decode_answer(bus::ByteView bytes);
DataResult<AccountAnswer> decode_account_answer(bus::ByteView bytes);
DataResult<ToAccount> decode_to_account(bus::ByteView bytes);
DataResult<AskAccount> decode_ask_account(bus::ByteView bytes);
DataResult<ToGate> decode_to_gate(bus::ByteView bytes);

}  // namespace starbus::entity::sessions
