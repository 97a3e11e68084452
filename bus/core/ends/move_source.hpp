/// Channels that leave this process: drain, ask, freeze, send the state, and free or reclaim it.
///
///   active    its own messages are still to be acknowledged (drain); then busroot is asked
///   frozen    move_ok has come: the state is under way, and messages get no answer
///   gone      moved has come; or reclaimed, and it is active again, but paused: it accepts nothing
///             until the program has been told, which has packed the object away
///
/// Decides nothing by a clock but to ask busroot: see docs/design/protocol.md, "Moves". Refers to
/// its parts, which outlive it; one thread.
#pragma once

#include <map>

#include "bus/core/ends/channel_sender.hpp"
#include "bus/core/ends/name_requests.hpp"
#include "bus/core/ends/system_messages.hpp"

namespace starbus::bus {

class MoveSource {
 public:
  struct Parts {
    const ProcessState& state;
    BindingTable& bindings;
    NameRequests& requests;
    ControlQueue& control;
    ChannelSender& sender;
    Origin& origin;
    Owner& owner;
    ProcessEvents& events;
  };
  explicit MoveSource(const Parts& parts) : parts_(parts) {}

  /// See ProcessCore::move.
  Result<> begin(const ChannelId& channel, const Process& target, Lineage hint);
  /// Asks busroot for channels that have drained, and gives up those that did not within
  /// kDrainDeadline.
  void advance();

  void on_move_ok(const MoveOk& ok);
  void on_no_move(const NoMove& refused);
  void on_moved(const Moved& moved);
  void on_reclaimed(const Reclaimed& reclaimed);
  void on_state_refused(const StateRefused& refused);
  /// See ProcessCore::go_on.
  void go_on(const ChannelId& channel, Epoch epoch);
  /// The outcome of a state message, by its token.
  void on_state_acknowledged(Token token) { states_.erase(token); }
  void on_state_failed(Token token);
  /// All bindings of this incarnation are gone.
  void clear() { states_.clear(); }

 private:
  void ask(Binding& binding);
  void freeze(Binding& binding);
  void send_state(Binding& binding, const State& state);
  void reclaim(Binding& binding, const Error& reason);
  void resume(Binding& binding, const Reclaimed& reclaimed);
  void cancel(Binding& binding, const Error& reason);

  Parts parts_;
  std::map<Token, ChannelId> states_;  // state messages that are not acknowledged
  Token next_state_ = kSystemToken + 1;
};

/// Ends the move and keeps the binding, which may still have to be confirmed.
void end_move(Binding& binding, BindingTable& bindings, NameRequests& requests);

}  // namespace starbus::bus
