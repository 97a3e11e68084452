/// Records of the protocol: what each says, who sends it, and its fields in wire order.
/// docs/design/protocol.md describes the exchanges. DATA, MULTICAST and CHUNK are in data.hpp,
/// moves in record_moves.hpp, durable channels in record_mail.hpp, readers of mail in
/// record_readers.hpp, shards of mail that move in record_shards.hpp, administration in
/// record_admin.hpp.
///
/// A record is {u32 length of what follows, u8 kind, payload}. Each struct lists its fields once,
/// in `fields`; encoding and decoding both follow that list. Texts and lists carry their length;
/// decoding refuses lengths beyond the record, unknown enumerators and trailing bytes. Hello and
/// Welcome, which are read before a version is agreed on, are extensible: a newer minor version may
/// append fields, and an older one ignores them.
#pragma once

#include <string>
#include <vector>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

enum class Kind : std::uint8_t {
  // session
  hello = 1,
  welcome = 2,
  reset = 3,
  bye = 4,
  heartbeat = 5,
  // messages
  data = 10,
  probe = 11,
  multicast = 12,
  ack = 13,
  nack = 14,
  chunk = 15,
  open = 16,
  room = 17,    // since 1.1
  posted = 18,  // since 1.1
  // tables
  process_up = 20,
  table = 21,
  table_end = 22,
  process_dead = 23,
  // requests to busroot and its answers
  bind = 30,
  attached = 31,
  refused = 32,
  active = 33,
  active_ok = 34,
  unbind = 35,
  unbound = 36,
  freed = 37,
  freed_ok = 38,
  resume = 39,  // since 1.1
  // moves
  move = 40,
  move_ok = 41,
  no_move = 42,
  attach = 43,
  reclaim = 44,
  reclaimed = 45,
  moved = 46,
  state = 47,
  state_refused = 48,
  // watches
  watch = 50,
  unwatch = 51,
  watch_rows = 52,
  watch_refused = 53,
  // administration
  query = 60,
  answer = 61,
  trace = 62,   // since 1.1
  vitals = 63,  // since 1.1
  // between readers of stored mail and its store: system messages, since 1.1
  mail_open = 70,
  mail_opened = 71,
  mail_items = 72,
  mail_consumed = 73,
  mail_ack = 74,
  mail_acked = 75,
  mail_end = 76,
  // between two stores, while a shard moves: likewise
  shard_take = 77,
  shard_rows = 78,
  shard_more = 79,
  shard_given = 80,
  // from a store to its readers, who pass over what they do not know: likewise
  mail_attempts = 81,
  mail_refused = 82,
};
std::string_view name_of(Kind kind);

inline constexpr std::size_t kRecordHeader = 5;  // u32 length, u8 kind

// --- session -------------------------------------------------------------------------------------

enum class PartyKind : std::uint8_t { process = 1, busd = 2 };

/// First record of a session, from the connecting side. Its complete table follows: for a busd
/// process_up and table records, for a process table records; then table_end.
struct Hello {
  static constexpr Kind kKind = Kind::hello;
  static constexpr bool kExtensible = true;
  std::uint8_t minor = 0;  // highest minor version spoken; the session uses the lower of both
  PartyKind party = PartyKind::process;
  std::string name;               // node name, or the busd's host name
  std::string role;               // processes: for the access list
  std::uint64_t incarnation = 0;  // drawn at start; see Process
  Epoch highest_term;             // busd: highest epoch term seen; a lower busroot is refused
  std::string software;           // "starbus 0.1.0": for people
  /// Grows with each session of one incarnation: a hello that was under way while its sender gave
  /// up and connected anew must not replace the newer session.
  std::uint64_t attempt = 0;
  template <class A>
  void fields(A& a) {
    a(minor, party, name, role, incarnation, highest_term, software, attempt);
  }
};

/// Answer to hello: who you are here, and what your role may do. Empty prefix lists forbid all;
/// a list with "" allows all.
struct Welcome {
  static constexpr Kind kKind = Kind::welcome;
  static constexpr bool kExtensible = true;
  std::uint8_t minor = 0;
  Process you;
  std::string host;  // the host's name; busroot answers with its own
  Epoch term;        // busroot's term (n = 0); from a busd: the one it knows, 0 if none
  std::vector<std::string> bind_prefixes;
  std::vector<std::string> send_prefixes;
  std::uint32_t max_names = 0;
  std::string software;
  std::uint32_t lease_ms = 0;  // names behind a link that is lost for so long are freed
  template <class A>
  void fields(A& a) {
    a(minor, you, host, term, bind_prefixes, send_prefixes, max_names, software, lease_ms);
  }
};

/// Ends a session. The receiver closes its link; whether it tries again depends on the reason.
struct Reset {
  static constexpr Kind kKind = Kind::reset;
  Errc reason = Errc::ok;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(reason, detail);
  }
};

/// A process leaves for good: its names are free at once.
struct Bye {
  static constexpr Kind kKind = Kind::bye;
  template <class A>
  void fields(A&) {}
};

/// Times are the sender's monotonic boot clock in nanoseconds. `echo` returns the peer's latest
/// `sent_at`, `echo_age` how long it lay here, so that the peer knows the round trip. `lease_age`,
/// from a busd to its processes: how long ago it sent the latest heartbeat that busroot has echoed;
/// kNoLease if busroot has echoed none.
struct Heartbeat {
  static constexpr Kind kKind = Kind::heartbeat;
  static constexpr std::uint64_t kNoLease = ~std::uint64_t{0};
  std::uint64_t sent_at = 0;
  std::uint64_t echo = 0;
  std::uint64_t echo_age = 0;
  std::uint64_t lease_age = kNoLease;
  template <class A>
  void fields(A& a) {
    a(sent_at, echo, echo_age, lease_age);
  }
};

// --- replies to data -----------------------------------------------------------------------------

/// "What is the last record of mine that you handled?" No body, no lineage.
struct Probe {
  static constexpr Kind kKind = Kind::probe;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  std::uint64_t seq = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, seq);
  }
};

/// Handled, everything up to `last` on this stream. Routed by origin; may be lost.
struct Ack {
  static constexpr Kind kKind = Kind::ack;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  Lineage lineage;
  std::uint64_t last = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, lineage, last);
  }
};

enum class NackReason : std::uint8_t { gap = 1, lineage = 2, overflow = 3, no_owner = 4 };
std::string_view name_of(NackReason reason);

/// Not handled. From an owner (gap, lineage) it says `last` and the lineage; from a daemon
/// (overflow, no_owner) those are 0.
struct Nack {
  static constexpr Kind kKind = Kind::nack;
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  std::uint64_t seq = 0;
  NackReason reason = NackReason::gap;
  Lineage lineage;
  std::uint64_t last = 0;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, seq, reason, lineage, last);
  }
};

/// A process under a restricted role names a channel before it sends to it in this lane and
/// session, so that its busd can check the name behind the hash.
struct Open {
  static constexpr Kind kKind = Kind::open;
  Lane lane = Lane::call;
  std::string channel_name;
  template <class A>
  void fields(A& a) {
    a(lane, channel_name);
  }
};

/// busd to a process that it has answered NACK overflow because the way was cut: it is open again.
/// A hint, so that choked streams probe now and do not wait for their back-off. Since 1.1.
struct Room {
  static constexpr Kind kKind = Kind::room;
  template <class A>
  void fields(A&) {}
};

// --- tables --------------------------------------------------------------------------------------

/// `granted`: busroot's grant has passed busd, and nobody knows whether it reached the process;
/// only a busd says that.
enum class RowState : std::uint8_t { active = 1, frozen = 2, attaching = 3, granted = 4 };

struct Row {
  std::string name;
  Epoch epoch;
  Lineage lineage;
  RowState state = RowState::active;
  Ticket ticket{};  // unless active: of the move, or of the grant
  template <class A>
  void fields(A& a) {
    a(name, epoch, lineage, state);
    if (state != RowState::active) a(ticket);
  }
};

/// busd to busroot: this process lives on my host. `pending`: its table is not known (yet), because
/// busd has restarted, or because it follows; busroot keeps what the process owns until a
/// process_up without `pending` says that all of its rows have been told.
struct ProcessUp {
  static constexpr Kind kKind = Kind::process_up;
  Process process;
  std::string node;
  std::string role;
  std::uint32_t pid = 0;
  bool pending = false;
  template <class A>
  void fields(A& a) {
    a(process, node, role, pid, pending);
  }
};

/// Rows of one process. Between hello and table_end: part of the complete table; later: claims.
struct Table {
  static constexpr Kind kKind = Kind::table;
  Process process;
  std::vector<Row> rows;
  template <class A>
  void fields(A& a) {
    a(process, rows);
  }
};

struct TableEnd {
  static constexpr Kind kKind = Kind::table_end;
  template <class A>
  void fields(A&) {}
};

/// busd to busroot: the process ended (pidfd), left (bye), or its lease ran out.
struct ProcessDead {
  static constexpr Kind kKind = Kind::process_dead;
  Process process;
  template <class A>
  void fields(A& a) {
    a(process);
  }
};

// --- requests to busroot -------------------------------------------------------------------------
// All idempotent, repeated by the process until answered. `number` names one attempt of one
// process; the ticket of a fresh bind is {process, process, number}.

struct Bind {
  static constexpr Kind kKind = Kind::bind;
  Process process;
  std::uint64_t number = 0;
  std::string name;
  template <class A>
  void fields(A& a) {
    a(process, number, name);
  }
};

/// Granted under a fresh epoch, unconfirmed until active. Answers bind and attach.
struct Attached {
  static constexpr Kind kKind = Kind::attached;
  Process process;
  Ticket ticket;
  std::string name;
  Epoch epoch;
  Lineage lineage;
  template <class A>
  void fields(A& a) {
    a(process, ticket, name, epoch, lineage);
  }
};

/// Of a bind: already_bound (detail: the owner, HOST.NODE), denied, too_many_names, bad_name. Of an
/// attach: busy, since the name is not (any more) to be had under this ticket; or as for a bind.
struct Refused {
  static constexpr Kind kKind = Kind::refused;
  Process process;
  Ticket ticket;
  std::string name;
  Errc reason = Errc::already_bound;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(process, ticket, name, reason, detail);
  }
};

/// "I have accepted the grant": confirms; repeated until active_ok.
struct Active {
  static constexpr Kind kKind = Kind::active;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

struct ActiveOk {
  static constexpr Kind kKind = Kind::active_ok;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// The owner at this epoch gives the name up.
struct Unbind {
  static constexpr Kind kKind = Kind::unbind;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

struct Unbound {
  static constexpr Kind kKind = Kind::unbound;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// The process holds nothing under this ticket (any more): said of a frozen copy after moved, and
/// of a grant that is not wanted.
struct Freed {
  static constexpr Kind kKind = Kind::freed;
  Process process;
  ChannelId channel;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket);
  }
};

struct FreedOk {
  static constexpr Kind kKind = Kind::freed_ok;
  Process process;
  ChannelId channel;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket);
  }
};

// --- watches -------------------------------------------------------------------------------------
// Process to busd and busd to busroot. A busd asks busroot once per prefix and serves its processes
// from what it has; so it also hides a restart of busroot from them: they see the difference.

struct Watch {
  static constexpr Kind kKind = Kind::watch;
  std::string prefix;
  template <class A>
  void fields(A& a) {
    a(prefix);
  }
};

struct Unwatch {
  static constexpr Kind kKind = Kind::unwatch;
  std::string prefix;
  template <class A>
  void fields(A& a) {
    a(prefix);
  }
};

struct WatchRow {
  bool present = true;  // false: the name is gone
  std::string name;
  Process owner;
  std::string owner_name;  // HOST.NODE
  Epoch epoch;
  Lineage lineage;
  template <class A>
  void fields(A& a) {
    a(present, name, owner, owner_name, epoch, lineage);
  }
};

/// `first`: a snapshot begins (forget what was known, after comparing); `last`: it is complete.
/// A delta has neither flag. A small snapshot has both.
struct WatchRows {
  static constexpr Kind kKind = Kind::watch_rows;
  std::string prefix;
  bool first = false;
  bool last = false;
  std::vector<WatchRow> rows;
  template <class A>
  void fields(A& a) {
    a(prefix, first, last, rows);
  }
};

struct WatchRefused {
  static constexpr Kind kKind = Kind::watch_refused;
  std::string prefix;
  Errc reason = Errc::watch_too_large;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(prefix, reason, detail);
  }
};

// --- coding --------------------------------------------------------------------------------------

/// Appends the record, header included. Texts longer than 255 bytes are cut (only free text is).
template <class Record>
void encode(const Record& record, Bytes& out);

/// Decodes a payload (what follows the kind). bad_bytes if it is not exactly one such record.
template <class Record>
Result<Record> decode(ByteView payload);

}  // namespace starbus::bus
