/// The record of one session in a gate, and the table of them. Plain state: the rules are with the
/// roles (doors.hpp, downlink.hpp, uplink.hpp, subjects.hpp, hand_overs.hpp). Belongs to the
/// loop's thread.
#pragma once

#include <boost/container/flat_set.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "nodes/gate/core/budget.hpp"
#include "nodes/gate/core/effects.hpp"
#include "nodes/gate/core/traffic.hpp"

namespace starbus::nodes::gate {

/// What a session is to its gate.
enum class Stage : std::uint8_t {
  fresh,   ///< login or account have not answered yet
  live,    ///< owned; its client may be away, its subject may be unknown
  giving,  ///< given away, and the other gate has not answered: nothing is taken here
  stub,    ///< the other gate has it: what comes is forwarded
  ended,   ///< says why, for a while
};
/// The same, as docs/design/sessions.md and operators name it.
enum class SessionState : std::uint8_t { fresh, binding, bound, away, giving, stub, ended };

struct Session {
  SessionId id{};
  Stage stage = Stage::fresh;
  /// What comes for it goes on to another gate, which has it or may have it.
  bool given_away() const { return stage == Stage::giving || stage == Stage::stub; }
  ConnectionId connection = 0;
  std::string account{};  // its channel; empty: the login has not answered
  std::string subject{};
  std::uint64_t login = 0;
  bus::Bytes ticket{};  // fresh: for the account
  bus::Bytes reentry{};
  std::uint64_t login_question = 0;  // fresh: at the login
  TokenPair tokens{};
  PartOrder order{};
  PacketWindow window{};
  Handed handed{};
  CreditMeter credit{};
  std::size_t credited = sessions::kFirstCredit;  // bytes that its subject was allowed last
  RequestTable requests{};
  SpokenSeen spoken{};
  HandOver hand{};
  boost::container::flat_set<std::string> groups{};

  // What was asked and is not answered, and what is to be asked again.
  bool binding = false, locating = false, relinking = false, telling_subject = false;
  bool locate_due = false, relink_due = false;
  bool pulsing = false, resyncing = false;
  bool request_waits = false;  // one has not begun, or may not have: see Uplink::outcome
  bool hole_due = false;       // waits for the next input_drained()
  bool drained = false;        // given away by a drain

  GateTime due{};  // when the table wakes it
  GateTime heard{};
  GateTime said_waiting{};
  GateTime ask_at{};               // the account, again
  GateTime again_at{};             // while a request waits: the subject is asked whether it obeys
  std::optional<GateTime> away{};  // since when its client is not connected
  std::optional<GateTime> hole{};  // since when something is missing, or was asked for last
  GateTime patience{};             // until a hole is asked for
  GateTime back_off{};             // the same, after the first question
  std::optional<GateTime> over{};  // since when its subject has said its last word
  GateTime give_at{};              // a drain tries again
  GateTime until{};                // stub, ended: when it is forgotten
  CloseReason reason = CloseReason::ended;
  std::optional<GateTime> lost{};  // since when nobody answers as its subject, or account

  // For operators.
  GateTime opened{};  // here, by a login or a hand-over
  Traffic traffic{};
  GateTime parted_at{};
  std::string parted{};  // why its client was disconnected last; empty: it never was

  /// For operators and tests.
  SessionState state() const;
  /// Announcements reach it: before its first full state a client knows of nobody, and of no group.
  bool listens() const { return stage == Stage::live && requests.bind() != Bind{}; }
};

class SessionTable {
 public:
  /// nullptr: there is none.
  Session* find(const SessionId& id);
  /// Only if there is none with this id.
  Session& add(const SessionId& id);
  void erase(const SessionId& id);
  /// Wakes it at this time, or when it would have been woken before.
  void wake(Session& session, GateTime at);
  /// One that is due; it sleeps then until it is woken again.
  Session* next_due(GateTime now);
  /// The first after this id (zero: the first of all); nullptr: none.
  Session* after(const SessionId& id);
  std::size_t size() const { return sessions_.size(); }

 private:
  struct IdHash {  // ids are random
    std::size_t operator()(const SessionId& id) const { return id.high ^ id.low; }
  };

  std::map<SessionId, std::unique_ptr<Session>> sessions_;  // in order: for after()
  boost::unordered_flat_map<SessionId, Session*, IdHash> index_;
  std::set<std::pair<GateTime, SessionId>> due_;
};

}  // namespace starbus::nodes::gate
