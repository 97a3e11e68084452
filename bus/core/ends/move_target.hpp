/// Channels that arrive at this process: a state is offered, busroot grants it, it becomes active.
/// docs/design/protocol.md, "Moves". Refers to its parts, which outlive it; one thread.
#pragma once

#include "bus/core/ends/name_requests.hpp"
#include "bus/core/ends/system_messages.hpp"

namespace starbus::bus {

class MoveTarget {
 public:
  struct Parts {
    const ProcessState& state;
    BindingTable& bindings;
    NameRequests& requests;
    Origin& origin;
    Owner& owner;
    ProcessEvents& events;
  };
  explicit MoveTarget(const Parts& parts) : parts_(parts) {}

  /// `from` sends a channel with its state: asks busroot for it, or refuses.
  void on_state(State state, const Process& from);
  /// busroot has granted a channel that is attaching under this ticket.
  void on_attached(Binding& binding, const Attached& attached);

 private:
  Result<> may_take(const State& state, const Process& from) const;
  void refuse(const State& state, const Process& from, const Error& reason);
  void attach(State state);

  Parts parts_;
};

}  // namespace starbus::bus
