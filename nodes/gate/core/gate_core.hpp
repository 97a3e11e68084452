/// The gate's half of the sessions of clients (docs/design/sessions.md), sans-IO: the one class
/// that a gate, or a simulation, needs. Read this header first.
///
/// What comes in: frames of connections, words of homes, accounts, subjects and gates, outcomes of
/// what was asked, deaths, the clock. What goes out: effects, in order (take()). Hello, Ping and
/// Pong are the shell's. Owns all records; belongs to the loop's thread. Everything that comes in
/// is hostile but the clock: what does not fit is refused with a reason and counted, and changes
/// nothing.
#pragma once

#include "nodes/gate/core/doors.hpp"
#include "nodes/gate/core/downlink.hpp"
#include "nodes/gate/core/egress.hpp"
#include "nodes/gate/core/hand_overs.hpp"
#include "nodes/gate/core/subjects.hpp"
#include "nodes/gate/core/uplink.hpp"

namespace starbus::nodes::gate {

class GateCore {
 public:
  /// `keys` must outlive it.
  GateCore(GateOptions options, KeySource& keys);
  GateCore(const GateCore&) = delete;
  GateCore& operator=(const GateCore&) = delete;

  // --- clients ---

  /// A connection, before its first frame; the address is for limits of logins.
  void opened(ConnectionId connection, std::string address);
  void frame(ConnectionId connection, const FromClient& frame);
  /// A request that the shell refuses itself (permission, malformed): its number counts, `reply` (a
  /// sessions::Reply) goes out at once, and the subject gets an empty request.
  void refused_request(ConnectionId connection, const Ask& request, Body reply);
  /// It has ended, and not by a HangUp.
  void closed(ConnectionId connection, std::string_view why = "left");

  // --- the cluster ---

  /// From a process that may speak for entities; the bus has said which it is.
  void bundle(const bus::Process& home, bus::ByteView bytes);
  /// From an account or a subject: servers, never a gate.
  void told(const sessions::ToGate& word);
  /// From a process of which the bus says that it owns a name of a gate. The answer to a Take.
  std::optional<Taken> told(const bus::Process& gate, const GateWord& word);
  /// Said to a group ("": to all) by `origin`, whose numbers grow; the body is a Spoken. False: no
  /// room, nothing was said.
  bool announce(const bus::Process& origin, std::uint64_t number, std::string group, Body body);
  /// Says what was announced to some more sessions, a slice at most. True: there are more. tick()
  /// does so, too; the shell calls this at once, and again in each turn of the loop.
  bool speak();
  /// Something waits for speak().
  bool speaking() const { return !fenced_ && downlink_.speaking(); }
  /// How far that has come. nullopt: it is not known, or not any more.
  std::optional<Reach> reach(const bus::Process& origin, std::uint64_t number) const {
    return downlink_.reach(origin, number);
  }
  /// The sessions that are in a group.
  std::size_t members(const std::string& group) const { return desk_.groups.size(group); }
  /// How a question of an effect ended; the bytes are those of the answer.
  void outcome(std::uint64_t question, Outcome outcome, bus::ByteView bytes);
  void login_said(std::uint64_t question, const LoginAnswer& answer);
  /// A process has died, or is a gate no more. After everything that it had said.
  void died(const bus::Process& process);

  // --- time ---

  /// At least every 100 ms, and again at once if it returns true: work was left.
  bool tick(GateTime now);
  /// Nothing that the bus has delivered waits unread: holes that are old may be asked for.
  void input_drained();
  /// No new sessions; those that are here go to these gates, in turn.
  void drain(std::vector<DrainTarget> targets);
  /// Every session of a drain is with another gate, and nothing is forwarded any more.
  bool drained() const { return hand_overs_.drained(); }
  /// The drain's time is over: what is left is closed; its clients keep their tokens.
  void end_drain();
  /// Whether this process has its link to the bus; it has, until this is told. Without it for
  /// kSuspect the clients are sent elsewhere, in slices, and nobody is let in until it is back. The
  /// sessions stay, away.
  void linked(bool there);
  /// Clients are sent elsewhere.
  bool cut_off() const { return desk_.cut_off; }
  /// The lease of this gate has ended, and others may have its names: nothing more is said, and all
  /// connections end.
  void fence();

  /// What is to be done since the last call.
  std::vector<Effect> take();
  /// The same in a vector that comes back for the next one, so that none is allocated.
  void take(std::vector<Effect>& into);

  /// Other budgets, from now on.
  void set(const Budget& budget) { egress_.set(budget); }
  /// Sessions with packets that wait for a budget.
  std::size_t sessions_waiting() const { return egress_.ring(); }
  const GateCounters& counters() const { return desk_.counters; }
  /// By the clock of tick().
  GateTime now() const { return desk_.now; }
  const Partings& partings() const { return desk_.partings; }
  /// The number of its last question: where the next core of this process goes on.
  std::uint64_t last_question() const { return desk_.last_question; }
  /// Records, stubs and ended ones included.
  std::size_t size() const { return desk_.table.size(); }
  /// nullptr: there is none with this id. Until the next call.
  const Session* find(const SessionId& id) { return desk_.table.find(id); }
  /// The first after this id (zero: the first of all); for operators.
  const Session* after(const SessionId& id) { return desk_.table.after(id); }
  /// Gives one session to another gate, for operators. False: it is not here, or cannot travel.
  bool give(const SessionId& id, const GateId& to, const std::string& address);

 private:
  void wake(Session& session);
  void wake_live(Session& session);
  void turn_away(std::size_t most);

  Desk desk_;
  Doors doors_;
  Downlink downlink_;
  Egress egress_;
  HandOvers hand_overs_;
  Subjects subjects_;
  Uplink uplink_;
  bool fenced_ = false;
  std::optional<GateTime> unlinked_{};  // since when
  SessionId turned_away_{};             // up to this one
};

}  // namespace starbus::nodes::gate
