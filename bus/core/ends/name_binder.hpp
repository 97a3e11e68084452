/// Binds and unbinds names: from the request of the program to busroot's answer, and back.
///
/// While a name is active, Owner or DurableOwner accepts its messages. Moves are in MoveSource and
/// MoveTarget. Events follow busroot's answers only. Refers to its parts, which outlive it; one
/// thread.
#pragma once

#include "bus/core/ends/name_requests.hpp"

namespace starbus::bus {

class NameBinder {
 public:
  struct Parts {
    const ProcessState& state;
    BindingTable& bindings;
    NameRequests& requests;
    ControlQueue& control;
    Owner& owner;
    DurableOwner& durable;
    ProcessEvents& events;
  };
  explicit NameBinder(const Parts& parts) : parts_(parts) {}

  /// See ProcessCore::bind and bind_durable.
  Result<BindingId> bind(std::string_view text, bool durable, Lineage resumed);
  /// The process' own channel, which counts into no limit. Its on_bound comes when the name of
  /// bind_server is settled, too: before that others may not know this process as a server.
  void bind_process(Name name);
  /// The name by which others know this process as a server; no object has it, so what is sent
  /// there is dropped.
  void bind_server(Name name);
  /// See ProcessCore::unbind.
  Result<> unbind(const ChannelId& channel);
  void accept_durable(const ChannelId& channel, std::span<const FilterRow> filter);

  /// For every phase but attaching (MoveTarget::on_attached).
  void on_attached(const Attached& attached);
  void on_refused(const Refused& refused);
  void on_active_ok(const ActiveOk& ok);
  void on_unbound(const Unbound& unbound);

  BindingId process_binding() const { return process_binding_; }
  /// Neither owner accepts messages of the channel any more.
  void deactivate(const ChannelId& channel);
  /// All bindings of this incarnation are gone.
  void clear();
  bool is_server() const { return server_binding_ != 0; }

 private:
  Result<Name> name_to_bind(std::string_view text) const;
  void on_granted(Binding& binding, const Attached& attached);
  void on_granted_again(Binding& binding, const Attached& attached);

  void on_server_refused(const Refused& refused);
  void report_process();

  Parts parts_;
  BindingId process_binding_ = 0;
  BindingId server_binding_ = 0;  // 0: the role is not trusted as a server
  Epoch process_epoch_{};         // 0: not granted yet
  bool server_awaited_ = false;
  bool reported_ = false;  // on_bound of the process' own channel
};

}  // namespace starbus::bus
