/// Records of administration: requests that daemons pass on for each other, and traces.
#pragma once

#include "bus/core/limits.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// An admin request that a busd forwards: `target` is a host name or "root". Answered by `answer`.
struct Query {
  static constexpr Kind kKind = Kind::query;
  std::string from_host;  // stamped by busroot: where the answer goes
  std::uint64_t number = 0;
  std::string target;
  std::string path;  // with its query string, at most 255 bytes
  template <class A>
  void fields(A& a) {
    a(from_host, number, target, path);
  }
};

/// Answers `query`, under its number.
struct Answer {
  static constexpr Kind kKind = Kind::answer;
  std::string to_host;
  std::uint64_t number = 0;
  std::uint16_t status = 200;  // as in HTTP
  Bytes body;                  // JSON text
  template <class A>
  void fields(A& a) {
    a(to_host, number, status, body);
  }
};

/// Returns `answer`, or one with status 413 if its body has more than kMaxAnswer bytes, which would
/// delay the heartbeats of the link.
inline constexpr std::size_t kMaxAnswer = 8 * 1024 * 1024;
Answer fit_to_send(const Answer& answer);

/// How a trace ended. `none`: it is on its way out.
enum class TraceEnd : std::uint8_t {
  none = 0,
  owner = 1,          // its process has it, in turn with the messages of the lane
  not_bound = 2,      // its process does not own it, or no longer: the tables are about to change
  frozen = 3,         // its process has frozen it for a move
  no_owner = 4,       // busroot knows no owner
  held = 5,           // busroot holds its messages: a move, or grace after a restart
  no_session = 6,     // no session with the next hop
  queue_full = 7,     // the queue to the next hop is full: a message would be sent again
  older_version = 8,  // the next hop speaks 1.0, which has no traces
  too_long = 9,       // more than kMaxTraceHops
};
std::string_view name_of(TraceEnd end);

/// One hop of a trace.
struct TraceHop {
  std::string where;         // a host, busroot's name, or HOST.NODE
  std::uint64_t at = 0;      // nanoseconds on the clock of that machine
  std::uint64_t queued = 0;  // bytes of its lane that wait for the same next link before it
  template <class A>
  void fields(A& a) {
    a(where, at, queued);
  }
};

/// Takes the way of a message of this lane, in turn with the messages, to the process that owns the
/// channel, and back in the control lane, as an acknowledgement does; every process and daemon on
/// the way adds a hop. No handler sees it, and it is not sent again if it is lost. Since 1.1: not
/// sent in sessions of 1.0.
struct HopTrace {
  static constexpr Kind kKind = Kind::trace;
  /// There and back; a longer list is malformed.
  static constexpr std::size_t kMostHops = 2 * kMaxTraceHops;
  std::uint32_t host = 0;  // where it began
  std::uint64_t number = 0;
  ChannelId channel;
  Lane lane = Lane::call;
  TraceEnd end = TraceEnd::none;
  std::vector<TraceHop> hops;
  template <class A>
  void fields(A& a) {
    a(host, number, channel, lane, end, hops);
  }
};

/// Figures of a process for operators (`bustop doctor`), sent to its busd once a second if they
/// have changed. Since 1.1.
struct Vitals {
  static constexpr Kind kKind = Kind::vitals;
  std::uint64_t sent = 0;          // messages that left in the latest second
  std::uint64_t resent = 0;        // how many of these were sent before
  std::uint64_t window_bytes = 0;  // unacknowledged, at most kProcessWindow
  /// The stream with the fullest window among those whose owner has not answered for a second;
  /// 0 bytes if there is none.
  ChannelId stuck;
  std::uint64_t stuck_bytes = 0;  // at most kChannelWindow
  std::uint32_t moves = 0;        // channels that are leaving or arriving
  std::uint32_t oldest_move_ms = 0;
  std::string oldest_move;  // its name
  friend bool operator==(const Vitals&, const Vitals&) = default;
  template <class A>
  void fields(A& a) {
    a(sent, resent, window_bytes, stuck, stuck_bytes, moves, oldest_move_ms, oldest_move);
  }
};

/// Process to busd, at most once a second for each name and reason: so many messages to this
/// channel did not arrive, and nobody in the process waits for their end. Since 1.2.
struct UndeliveredReport {
  static constexpr Kind kKind = Kind::undelivered;
  ChannelId channel;
  std::string channel_name;  // empty if the sender does not know it (any more)
  Errc reason = Errc::no_owner;
  std::uint32_t count = 0;
  template <class A>
  void fields(A& a) {
    a(channel, channel_name, reason, count);
  }
};

}  // namespace starbus::bus
