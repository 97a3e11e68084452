/// Messages that channels of this process send in an order of their own, which holds when the
/// channel moves: while it may not send, its messages wait in its Outbox.
///
/// A channel may send while it is active, does not move, and its outbox is empty. Refers to its
/// parts, which outlive it; one thread.
#pragma once

#include "bus/core/ends/binding_table.hpp"
#include "bus/core/ends/process_state.hpp"
#include "bus/core/origin/origin.hpp"

namespace starbus::bus {

class ChannelSender {
 public:
  ChannelSender(const ProcessState& state, BindingTable& bindings, Origin& origin,
                ProcessEvents& events)
      : state_(state), bindings_(bindings), origin_(origin), events_(events) {}

  /// See ProcessCore::send_from and multicast_from.
  Result<> send(const ChannelId& from, const Destination& to, Lane lane, ByteView head,
                ByteView body, Time expires);
  Result<> multicast(const ChannelId& from, std::span<const Recipient> recipients, Lane lane,
                     ByteView head, ByteView body, Time expires, FullReceivers* full = nullptr);
  /// Sends from every outbox what may be sent now. Call when windows or moves may have changed.
  void flush();
  /// Fails all messages that wait; `sent`: the target of a move may have sent them.
  void fail_outbox(Binding& binding, Errc reason, bool sent);

 private:
  static Result<> may_send(const Binding* binding);
  static bool may_send_now(const Binding& binding);
  static Result<> has_room(const Binding& binding, std::size_t bytes);
  std::uint32_t sender_of(Binding& binding);
  void put_in_outbox(Binding& binding, const Destination& to, Lane lane, ByteView head,
                     ByteView body, Time expires);
  void flush(Binding& binding);
  bool is_denied(const OutboxItem& item) const;

  const ProcessState& state_;
  BindingTable& bindings_;
  Origin& origin_;
  ProcessEvents& events_;
  std::uint32_t next_sender_ = 1;
};

}  // namespace starbus::bus
