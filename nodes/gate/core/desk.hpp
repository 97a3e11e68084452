/// What the roles of a GateCore share: the tables, the effects, the questions, the clock. Internal.
/// Belongs to the loop's thread; owned by the GateCore.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "nodes/gate/core/home_table.hpp"
#include "nodes/gate/core/limits.hpp"
#include "nodes/gate/core/partings.hpp"
#include "nodes/gate/core/session.hpp"

namespace starbus::nodes::gate {

class Doors;
class Downlink;
class Egress;
class HandOvers;
class Subjects;
class Uplink;

/// The times of limits.hpp, so that a simulation can have its own.
struct GateTimes {
  GateTime away = sessions::kAwayTime;
  GateTime give = kGiveTime;
  GateTime stub = kStubTime;
  GateTime ended = kEndedTime;
  GateTime pulse = kPulse;
  GateTime hole = kHoleTime;
  GateTime resync_most = kResyncMost;
  GateTime pause = kAskPause;
  GateTime waiting = kWaitingSaid;
  GateTime suspect = kSuspect;
};

/// What a gate is told of itself.
struct GateOptions {
  GateId self{};                     // this gate
  std::string address{};             // as clients use it; may be empty
  std::size_t sessions = kSessions;  // at most kSessions
  GateTimes times{};
  /// Of the core before this one in the same process: what that one has asked and is answered late
  /// must name no question of this one.
  std::uint64_t last_question = 0;
  Budget budget{};
};

/// What has happened, since the start.
struct GateCounters {
  std::uint64_t logins = 0;     // sessions that were opened
  std::uint64_t resumed = 0;    // connections that continue one
  std::uint64_t reentered = 0;  // sessions that were opened with the signed part of a token
  std::uint64_t found = 0;      // that the account has found elsewhere instead
  std::uint64_t given = 0;      // hand-overs to other gates
  std::uint64_t taken = 0;      // and from them
  std::uint64_t undone = 0;     // hand-overs that were refused
  std::uint64_t refused_tokens = 0;
  std::uint64_t reused_tokens = 0;  // sessions that were ended for that
  std::uint64_t refused_positions = 0;
  std::uint64_t malformed = 0;        // frames that are not at their place, and lies in them
  std::uint64_t malformed_words = 0;  // of homes and gates
  std::uint64_t parts_late = 0;
  std::uint64_t parts_full = 0;     // that found no place to wait
  std::uint64_t parts_foreign = 0;  // of another subject than the account has told
  std::uint64_t parts_unknown = 0;  // of sessions or handles that the gate does not have
  std::uint64_t forwarded = 0;
  std::uint64_t pulses = 0;
  std::uint64_t resyncs = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_dropped = 0;  // of another bind, or said before
  std::uint64_t busy = 0;
  std::uint64_t spoken = 0;
  std::uint64_t spoken_twice = 0;
  std::uint64_t ended = 0;
  std::uint64_t cut_off = 0;         // clients that were sent elsewhere, without the bus
  std::uint64_t too_slow = 0;        // of these: kWindowBytes, kWindowPackets
  std::uint64_t packets_waited = 0;  // times that a session began to wait for a budget
  Traffic traffic{};                 // of all sessions
};

/// What an outcome is for.
struct Question {
  enum class Kind : std::uint8_t {
    bind,
    seek,
    where,
    relink_account,
    relink_subject,
    pulse,
    resync,
    request,
    take,
    give,
  };
  Kind kind = Kind::bind;
  SessionId session{};
  std::uint64_t number = 0;  // request: u; give: that of the Give; take, relink: the turn
  Bind bind{};               // request, relink
  std::uint32_t turn = 0;    // request: when it was said
};

struct Desk {
  Desk(GateOptions its_options, KeySource& its_keys)
      : options(std::move(its_options)), keys(its_keys), last_question(options.last_question) {}

  /// A number under which the outcome comes back.
  std::uint64_t ask(const Question& question) {
    questions.emplace(++last_question, question);
    return last_question;
  }
  /// A connection of this session has ended, or (`over`) the session has.
  void part(Session& session, const std::string& address, std::string_view why, bool over) {
    if (session.account.empty()) return;  // nobody has been let in
    session.parted_at = now;
    session.parted = why;
    partings.add(
        {now, session.id, session.account, session.subject, address, session.parted, over});
  }
  void frame(ConnectionId to, ToClient frame) {
    if (to != 0) effects.push_back(SendFrame{to, std::move(frame)});
  }

  GateOptions options;
  KeySource& keys;
  GateTime now{};
  SessionTable table;
  HomeTable homes;
  GroupTable groups;
  Partings partings;
  GateCounters counters;
  std::vector<Effect> effects;
  boost::unordered_flat_map<std::uint64_t, Question> questions;
  std::uint64_t last_question;
  bool cut_off = false;  // without the bus for kSuspect: nobody is let in

  // The roles; all are of the same GateCore.
  Doors* doors = nullptr;
  Downlink* downlink = nullptr;
  Egress* egress = nullptr;
  HandOvers* hand_overs = nullptr;
  Subjects* subjects = nullptr;
  Uplink* uplink = nullptr;
};

}  // namespace starbus::nodes::gate
