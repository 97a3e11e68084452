// Names that a process owns or asks for, and prefixes that it watches.
#include "bus/core/ends/process_core.hpp"

#include <algorithm>

namespace starbus::bus {

ProcessCore::Binding* ProcessCore::find(const ChannelId& channel) const {
  const auto found = bindings_.find(channel);
  return found == bindings_.end() ? nullptr : found->second.get();
}

std::string_view ProcessCore::bound_name(const ChannelId& channel) const {
  const auto found = bindings_.find(channel);
  return found == bindings_.end() ? std::string_view() : found->second->name.text();
}

Epoch ProcessCore::epoch(const ChannelId& channel) const {
  const auto found = bindings_.find(channel);
  return found == bindings_.end() ? Epoch{} : found->second->epoch;
}

Result<BindingId> ProcessCore::bind(std::string_view text) {
  return bind_as(text, false, {});
}

Result<BindingId> ProcessCore::bind_durable(std::string_view text, Lineage lineage) {
  return bind_as(text, true, lineage);
}

Result<BindingId> ProcessCore::bind_as(std::string_view text, bool durable, Lineage resumed) {
  auto name = name_to_bind(text);
  if (!name) return name.error();
  return add_binding(std::move(*name), durable, resumed);
}

void ProcessCore::accept_durable(const ChannelId& channel, std::span<const FilterRow> filter) {
  const Binding* const binding = find(channel);
  if (binding && binding->durable && binding->epoch && binding->phase == Phase::active) {
    durable_.activate(channel, binding->lineage, filter);
  }
}

Result<Name> ProcessCore::name_to_bind(std::string_view text) const {
  auto name = Name::of(text);
  if (!name) return name.error();
  if (find(name->id())) {
    return Error{Errc::already_bound, std::string(text) + " is bound by this very process"};
  }
  // The process channel does not count.
  if (bindings_.size() - (process_binding_ != 0 ? 1 : 0) >= max_names_) {
    return Error{Errc::too_many_names, "at most " + std::to_string(max_names_)};
  }
  if (ever_greeted_ && !matches_any(bind_prefixes_, text)) {
    return Error{Errc::denied, "role '" + config_.role + "' may not bind " + std::string(text)};
  }
  return name;
}

BindingId ProcessCore::add_binding(Name name, bool durable, Lineage resumed) {
  const ChannelId channel = name.id();
  auto binding = std::make_unique<Binding>(Binding{next_binding_++, std::move(name)});
  binding->durable = durable;
  binding->resumed = resumed;
  const BindingId id = binding->id;
  unanswered_.insert(channel);
  if (greeted_) ask(*binding);
  bindings_.emplace(channel, std::move(binding));
  return id;
}

void ProcessCore::deactivate(const ChannelId& channel) {
  owner_.deactivate(channel);
  durable_.deactivate(channel);
}

Result<> ProcessCore::unbind(const ChannelId& channel) {
  Binding* binding = find(channel);
  if (!binding || binding->phase == Phase::unbinding || binding->phase == Phase::attaching) {
    return Error{Errc::not_bound};
  }
  if (binding->move) return Error{Errc::busy, "the channel is moving"};
  if (binding->outbox) return Error{Errc::busy, "messages of the channel wait in its outbox"};
  binding->phase = Phase::unbinding;
  deactivate(channel);
  unanswered_.insert(channel);
  if (greeted_) ask(*binding);
  return {};
}

/// Says what this binding waits for. Every request is idempotent and repeated until answered; a
/// bind that is not wanted any more is still asked for, so that its grant is seen and given back.
void ProcessCore::ask(Binding& binding) {
  binding.asked = now_;
  const ChannelId channel = binding.name.id();
  const Move* const move = binding.move.get();
  if (binding.phase == Phase::attaching) {
    say(Attach{self_, binding.name.text(), move->ticket});
  } else if (binding.phase == Phase::frozen) {
    if (move->reclaiming || now_ - move->since >= from_ms(kReclaimAfter)) {
      say(Reclaim{self_, binding.name.text(), move->ticket});
    }
  } else if (!binding.epoch && binding.resumed) {
    say(Resume{self_, binding.id, binding.name.text(), binding.resumed});
  } else if (!binding.epoch) {
    say(Bind{self_, binding.id, binding.name.text()});
  } else if (binding.phase == Phase::active) {
    if (move && move->asked) {
      say(starbus::bus::Move{self_, channel, binding.epoch, move->ticket});
    } else if (!binding.confirmed) {
      say(Active{self_, channel, binding.epoch});
    }
  } else {
    say(Unbind{self_, channel, binding.epoch});
  }
}

void ProcessCore::ask_again() {
  for (const ChannelId& channel : unanswered_) {
    Binding* binding = find(channel);
    if (now_ - binding->asked < from_ms(kRequestRetry)) continue;
    binding->repeated = true;
    ask(*binding);
  }
  for (auto& [key, freeing] : freeing_) {
    if (now_ - freeing.asked < from_ms(kRequestRetry)) continue;
    freeing.asked = now_;
    say(Freed{self_, key.first, freeing.ticket});
  }
}

void ProcessCore::forget(const ChannelId& channel) {
  unanswered_.erase(channel);
  moving_.erase(channel);
  waiting_.erase(channel);
  bindings_.erase(channel);
}

void ProcessCore::refuse_grant(const ChannelId& channel, const Ticket& ticket) {
  freeing_[{channel, ticket.number}] = {ticket, now_};
  say(Freed{self_, channel, ticket});
}

/// Of the bind or move that this binding waits for, or came by.
Ticket ProcessCore::ticket_of(const Binding& binding) const {
  return binding.move ? binding.move->ticket : Ticket::of_bind(self_, binding.id);
}

void ProcessCore::on_attached(const Attached& attached) {
  const ChannelId channel = channel_id(attached.name);
  // The first that there is to lose. busroot has answered what was asked in this session.
  if (lease_base_ == Time{}) lease_base_ = std::max(session_began_, session_->lease_base());
  Binding* binding = find(channel);
  const bool waits = binding && (!binding->epoch || binding->phase == Phase::attaching);
  if (!binding || (waits && ticket_of(*binding) != attached.ticket)) {
    refuse_grant(channel, attached.ticket);
    return;
  }
  if (!waits) {  // a repeated answer: say again what it is waiting for
    if (binding->epoch == attached.epoch && binding->phase == Phase::active) {
      say(Active{self_, channel, binding->epoch});
    } else if (binding->epoch == attached.epoch) {
      ask(*binding);
    }
    return;
  }
  if (binding->phase == Phase::attaching) return arrive(*binding, attached);
  binding->epoch = attached.epoch;
  binding->lineage = attached.lineage;
  const bool wanted = binding->phase == Phase::binding;
  if (wanted) binding->phase = Phase::active;
  ask(*binding);  // active, or unbind if it is not wanted any more
  if (!wanted) return;
  if (binding->durable) {
    events_.on_durable_bound(binding->id, binding->epoch, binding->lineage);
    return;
  }
  owner_.activate(channel, binding->epoch, binding->lineage, binding->id);
  events_.on_bound(binding->id, binding->epoch);
}

void ProcessCore::on_refused(const Refused& refused) {
  const ChannelId channel = channel_id(refused.name);
  Binding* binding = find(channel);
  if (!binding || ticket_of(*binding) != refused.ticket) return;
  // A repeat of the request may still be granted, and its grant be lost on the way here: this says,
  // behind every repeat, that nothing is wanted any more (M14).
  if (binding->repeated && (!binding->epoch || binding->phase == Phase::attaching)) {
    refuse_grant(channel, refused.ticket);
  }
  if (binding->phase == Phase::attaching) return forget(channel);  // nobody was told of it
  if (binding->epoch) return;
  const BindingId id = binding->id;
  const bool wanted = binding->phase == Phase::binding;
  forget(channel);
  if (wanted) {
    events_.on_bind_refused(id, {refused.reason, refused.detail});
  } else {
    events_.on_unbound(id);
  }
}

void ProcessCore::on_active_ok(const ActiveOk& ok) {
  Binding* binding = find(ok.channel);
  if (!binding || binding->epoch != ok.epoch || binding->phase != Phase::active) return;
  binding->confirmed = true;
  if (!binding->move || !binding->move->asked) unanswered_.erase(ok.channel);
}

void ProcessCore::on_unbound(const Unbound& unbound) {
  Binding* binding = find(unbound.channel);
  if (!binding || binding->phase != Phase::unbinding || binding->epoch != unbound.epoch) return;
  const BindingId id = binding->id;
  forget(unbound.channel);
  events_.on_unbound(id);
}

void ProcessCore::on_freed_ok(const FreedOk& ok) {
  const auto found = freeing_.find({ok.channel, ok.ticket.number});
  if (found != freeing_.end() && found->second.ticket == ok.ticket) freeing_.erase(found);
}

// --- watches -------------------------------------------------------------------------------------

Result<> ProcessCore::watch(const std::string& prefix) {
  if (auto checked = check_prefix(prefix); !checked) return checked;
  if (watches_.contains(prefix)) return {};
  if (watches_.size() >= kMaxWatches) return Error{Errc::too_many_watches};
  watches_.emplace(prefix, RowSet{});
  if (greeted_) say(Watch{prefix});
  return {};
}

void ProcessCore::unwatch(const std::string& prefix) {
  if (watches_.erase(prefix) != 0 && greeted_) say(Unwatch{prefix});
}

const RowSet* ProcessCore::rows(const std::string& prefix) const {
  const auto found = watches_.find(prefix);
  return found == watches_.end() ? nullptr : &found->second;
}

Result<> ProcessCore::on_watch_rows(WatchRows rows) {
  const std::string prefix = rows.prefix;
  const auto found = watches_.find(prefix);
  if (found == watches_.end()) return {};  // given up meanwhile
  const bool was_complete = found->second.complete();
  const std::vector<WatchRow> changes = found->second.apply(std::move(rows));
  if (found->second.overflowed()) {
    unwatch(prefix);
    events_.on_watch_refused(prefix, {Errc::watch_too_large, prefix});
    return {};
  }
  // A death that is reported must be the end: what comes later, over a slower lane, is dropped.
  for (const WatchRow& row : changes) {
    if (!row.name.starts_with("process/")) continue;
    if (row.owner.channel() != channel_id(row.name)) continue;
    if (row.present) {
      owner_.revive(row.owner);
    } else {
      owner_.bury(row.owner);
    }
  }
  const bool complete = found->second.complete();
  if (!changes.empty() || complete != was_complete) events_.on_watch(prefix, changes, complete);
  return {};
}

}  // namespace starbus::bus
