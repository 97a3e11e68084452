/// Repeats every request about names to busroot until it is answered: bind, resume, attach, active,
/// unbind, move, reclaim; and freed, for what this process holds no more. All are idempotent.
///
/// A request is derived from the present phase of its binding. Refers to the table and the queue,
/// which outlive it; one thread.
#pragma once

#include <map>

#include "bus/core/ends/binding_table.hpp"
#include "bus/core/ends/control_queue.hpp"
#include "bus/core/ends/process_state.hpp"

namespace starbus::bus {

class NameRequests {
 public:
  NameRequests(const ProcessState& state, BindingTable& bindings, ControlQueue& control)
      : state_(state), bindings_(bindings), control_(control) {}

  /// Sends the request that the binding waits for, now if there is a session, and lists it until
  /// `answered`.
  void begin(Binding& binding);
  void answered(const ChannelId& channel) { bindings_.unanswered.erase(channel); }
  /// Sends what the binding waits for once more.
  void send(Binding& binding);
  /// The grant or the frozen copy under this ticket is not wanted any more: says so until freed_ok.
  void free(const ChannelId& channel, const Ticket& ticket);
  void on_freed_ok(const FreedOk& ok);

  /// A new session was accepted: sends all unanswered requests again.
  void on_session();
  /// Sends each request that was last sent kRequestRetry ago. Call often, in a greeted session.
  void repeat();
  void clear() { freeing_.clear(); }

  /// The ticket of the bind or of the move that the binding waits for, or came by.
  Ticket ticket_of(const Binding& binding) const;

 private:
  struct Freeing {
    Ticket ticket;
    Time asked{};
  };

  void send_grant_request(const Binding& binding);

  const ProcessState& state_;
  BindingTable& bindings_;
  ControlQueue& control_;
  std::map<std::pair<ChannelId, std::uint64_t>, Freeing> freeing_;  // by channel, ticket's number
};

}  // namespace starbus::bus
