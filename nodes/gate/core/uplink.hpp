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
  /// The bus, or the subject, has dealt with one.
  void outcome(Session& session, const Question& question, bool refused);
  /// All without an outcome, again: the session has another turn, or was given back.
  void again(Session& session);

 private:
  bool take(Session& session, const Ask& request);
  void put(Session& session, std::uint64_t u, const bus::Bytes& body);
  Desk& desk_;
};

}  // namespace starbus::nodes::gate
