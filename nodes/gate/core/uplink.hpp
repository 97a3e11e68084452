/// The way up: requests of clients to their subjects, in order, each once. A role of GateCore;
/// belongs to the loop's thread.
#pragma once

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

class Uplink {
 public:
  explicit Uplink(Desk& desk) : desk_(desk) {}

  /// A request of the client of this live session. False: it breaks the protocol.
  bool ask(Session& session, const Ask& request);
  /// One that the gate itself refuses: its number counts, and the reply goes out at once.
  bool refuse(Session& session, const Ask& request, Body reply);
  /// What has become of one. `settled`: the subject has begun it, or never will. If not, it goes
  /// again when the subject has said that it obeys this gate: one that it has begun all the same,
  /// as may be after a deadline, it drops. Later ones wait behind it, or there would be a gap.
  void outcome(Session& session, const Question& question, bool settled);
  /// All without an outcome, again: the session has another turn, was given back, or the subject
  /// obeys.
  void again(Session& session);

 private:
  bool take(Session& session, const Ask& request);
  void put(Session& session, std::uint64_t u, const bus::Bytes& body);
  Desk& desk_;
};

}  // namespace starbus::nodes::gate
