/// Sessions that go to another gate, and come from one: give, take, relink, stub; drain. A role of
/// GateCore; belongs to the loop's thread. Words of other gates are checked: a take is obeyed only
/// from a gate, and neither the account nor the subject obeys a relink without the pass.
#pragma once

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

/// A gate that can take sessions of one that drains.
struct DrainTarget {
  GateId gate{};
  std::string address{};  // as clients use it
};

class HandOvers {
 public:
  explicit HandOvers(Desk& desk) : desk_(desk) {}

  /// A word of another gate. The answer to a Take; nullopt: it has none.
  std::optional<Taken> told(const bus::Process& from, const GateWord& word);
  /// Gives a live session away. False: it cannot travel.
  bool give(Session& session, const GateId& to, const std::string& address);
  void take_outcome(const Question& question, Outcome outcome, bus::ByteView bytes);
  void gate_died(const bus::Process& process);

  /// To the gate that has the session now.
  void forward(Session& session, decltype(Forwarded::what) what, std::uint8_t hops = 1);
  void relink_account(Session& session);
  void relink_subject(Session& session);
  /// Ends the stubs before this gate, if all that they may have forwarded has been passed.
  void settle(Session& session);
  void settle_all(Session& session);

  /// Gives all sessions away, kGivesAtOnce at a time, to these in turn.
  void drain(std::vector<DrainTarget> targets);
  /// What remains is closed: its clients come back with their tokens.
  void end_drain();
  void tick(std::size_t most);
  bool draining() const { return draining_; }
  /// A whole walk has found no session but those that have ended: nothing is forwarded any more.
  bool drained() const { return draining_ && emptied_; }

 private:
  void on_give(const Give& word, std::uint8_t hops);
  Taken on_take(const bus::Process& from, const Take& word);
  void on_forwarded(const Forwarded& word);
  void on_stub_done(const StubDone& word);
  void undo(Session& session);
  void adopt(Session& session, const Take& word);
  sessions::Relink relink_of(const Session& session) const;
  Take record_of(const Session& session) const;

  Desk& desk_;
  bool draining_ = false;
  bool closing_ = false;
  std::vector<DrainTarget> targets_;
  std::size_t next_target_ = 0;
  std::size_t giving_ = 0;  // by the drain, without an answer
  SessionId walked_{};
  std::size_t kept_ = 0;  // sessions of this walk that have not ended
  bool emptied_ = false;
};

}  // namespace starbus::nodes::gate
