#include "bus/core/ends/name_binder.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {

using Phase = Binding::Phase;

Result<BindingId> NameBinder::bind(std::string_view text, bool durable, Lineage resumed) {
  auto name = name_to_bind(text);
  if (!name) return name.error();
  Binding& binding = parts_.bindings.add(std::move(*name));
  binding.durable = durable;
  binding.resumed = resumed;
  parts_.requests.begin(binding);
  return binding.id;
}

void NameBinder::bind_process(Name name) {
  assert(process_binding_ == 0);
  Binding& binding = parts_.bindings.add(std::move(name));
  process_binding_ = binding.id;
  parts_.requests.begin(binding);
}

void NameBinder::bind_server(Name name) {
  assert(server_binding_ == 0);
  Binding& binding = parts_.bindings.add(std::move(name));
  server_binding_ = binding.id;
  server_awaited_ = true;
  parts_.requests.begin(binding);
}

void NameBinder::clear() {
  process_binding_ = 0;
  server_binding_ = 0;
  process_epoch_ = {};
  server_awaited_ = false;
  reported_ = false;
}

void NameBinder::report_process() {
  if (!process_epoch_ || server_awaited_ || std::exchange(reported_, true)) return;
  parts_.events.on_bound(process_binding_, process_epoch_);
}

Result<Name> NameBinder::name_to_bind(std::string_view text) const {
  auto name = Name::of(text);
  if (!name) return name.error();
  if (parts_.bindings.find(name->id())) {
    return Error{Errc::already_bound, std::string(text) + " is bound by this process"};
  }
  const RoleRights& rights = parts_.state.rights;
  const std::size_t own = (process_binding_ != 0 ? 1 : 0) + (server_binding_ != 0 ? 1 : 0);
  const std::size_t bound = parts_.bindings.size() - own;
  if (bound >= rights.max_names) {
    return Error{Errc::too_many_names, "at most " + std::to_string(rights.max_names)};
  }
  if (rights.known && !rights.may_bind(text)) {
    return Error{Errc::denied,
                 "the role of this process in busd.toml may not bind " + std::string(text)};
  }
  return name;
}

Result<> NameBinder::unbind(const ChannelId& channel) {
  Binding* const binding = parts_.bindings.find(channel);
  if (!binding || binding->phase == Phase::unbinding || binding->phase == Phase::attaching) {
    return Error{Errc::not_bound};
  }
  if (holder_for_life(binding->name.text()) == parts_.state.self.channel()) {
    return Error{Errc::denied, "a process has this name until its end"};
  }
  if (binding->move) return Error{Errc::busy, "the channel is moving"};
  if (binding->outbox) return Error{Errc::busy, "messages of the channel wait in its outbox"};
  binding->phase = Phase::unbinding;
  deactivate(channel);
  parts_.requests.begin(*binding);
  return {};
}

void NameBinder::accept_durable(const ChannelId& channel, std::span<const FilterRow> filter) {
  const Binding* const binding = parts_.bindings.find(channel);
  if (binding && binding->durable && binding->epoch && binding->phase == Phase::active) {
    parts_.durable.activate(channel, binding->lineage, filter);
  }
}

void NameBinder::deactivate(const ChannelId& channel) {
  parts_.owner.deactivate(channel);
  parts_.durable.deactivate(channel);
}

void NameBinder::on_attached(const Attached& attached) {
  const ChannelId channel = channel_id(attached.name);
  Binding* const binding = parts_.bindings.find(channel);
  const bool waits = binding && (!binding->epoch || binding->phase == Phase::attaching);
  if (!binding || (waits && parts_.requests.ticket_of(*binding) != attached.ticket)) {
    parts_.requests.free(channel, attached.ticket);
  } else if (waits) {
    on_granted(*binding, attached);
  } else {
    on_granted_again(*binding, attached);
  }
}

void NameBinder::on_granted(Binding& binding, const Attached& attached) {
  assert(binding.phase == Phase::binding || binding.phase == Phase::unbinding);
  binding.epoch = attached.epoch;
  binding.lineage = attached.lineage;
  const bool wanted = binding.phase == Phase::binding;
  if (wanted) binding.phase = Phase::active;
  parts_.requests.send(binding);  // active, or unbind if it is not wanted any more
  if (!wanted) return;
  if (binding.durable) {
    parts_.events.on_durable_bound(binding.id, binding.epoch, binding.lineage);
    return;
  }
  parts_.owner.activate(binding.channel(), binding.epoch, binding.lineage, binding.id);
  if (binding.id == server_binding_) {
    server_awaited_ = false;
    return report_process();
  }
  if (binding.id == process_binding_) {
    process_epoch_ = binding.epoch;
    return report_process();
  }
  parts_.events.on_bound(binding.id, binding.epoch);
}

/// busroot repeats its grant until it is confirmed.
void NameBinder::on_granted_again(Binding& binding, const Attached& attached) {
  if (binding.epoch != attached.epoch) return;
  if (binding.phase == Phase::active) {
    parts_.control.add(Active{parts_.state.self, binding.channel(), binding.epoch});
  } else {
    parts_.requests.send(binding);
  }
}

void NameBinder::on_refused(const Refused& refused) {
  const ChannelId channel = channel_id(refused.name);
  Binding* const binding = parts_.bindings.find(channel);
  if (!binding || parts_.requests.ticket_of(*binding) != refused.ticket) return;
  const bool attaching = binding->phase == Phase::attaching;
  // A repeated request may still be granted, and that grant may be lost on the way here. Freed
  // follows every repeat on its way, and tells busroot that the grant is not wanted (M14).
  if (binding->repeated && (!binding->epoch || attaching)) {
    parts_.requests.free(channel, refused.ticket);
  }
  if (attaching) return parts_.bindings.erase(channel);  // its arrival was never reported
  if (binding->epoch) return;
  const BindingId id = binding->id;
  const bool wanted = binding->phase == Phase::binding;
  parts_.bindings.erase(channel);
  if (id == server_binding_) return on_server_refused(refused);
  if (wanted) {
    parts_.events.on_bind_refused(id, {refused.reason, refused.detail});
  } else {
    parts_.events.on_unbound(id);
  }
}

/// The role has changed meanwhile; or the name is still that of an earlier process, as for the own
/// channel.
void NameBinder::on_server_refused(const Refused& refused) {
  server_binding_ = 0;
  server_awaited_ = false;
  if (refused.reason == Errc::denied) return report_process();
  parts_.events.on_bind_refused(process_binding_, {refused.reason, refused.detail});
}

void NameBinder::on_active_ok(const ActiveOk& ok) {
  Binding* const binding = parts_.bindings.find(ok.channel);
  if (!binding || binding->epoch != ok.epoch || binding->phase != Phase::active) return;
  binding->confirmed = true;
  if (!binding->move || !binding->move->asked) parts_.requests.answered(ok.channel);
}

void NameBinder::on_unbound(const Unbound& unbound) {
  Binding* const binding = parts_.bindings.find(unbound.channel);
  if (!binding || binding->phase != Phase::unbinding || binding->epoch != unbound.epoch) return;
  const BindingId id = binding->id;
  parts_.bindings.erase(unbound.channel);
  parts_.events.on_unbound(id);
}

}  // namespace starbus::bus
