#include "bus/core/ends/move_target.hpp"

#include <cassert>

#include "bus/core/ends/move_source.hpp"

namespace starbus::bus {

using Phase = Binding::Phase;

Result<> MoveTarget::may_take(const State& state, const Process& from) const {
  const Ticket& ticket = state.ticket;
  if (ticket.target != parts_.state.self || ticket.source != from || !ticket) {
    return Error{Errc::move_refused, "the ticket is for another process"};
  }
  const auto name = Name::of(state.name);
  if (!name || name->id().high == kProcessTag || !state.epoch || !state.lineage) {
    return Error{Errc::move_refused, "malformed state"};
  }
  if (!parts_.state.rights.may_bind(state.name)) {
    return Error{Errc::denied,
                 "role '" + parts_.state.config.role + "' may not bind " + state.name};
  }
  if (parts_.bindings.size() > parts_.state.rights.max_names) return Error{Errc::too_many_names};
  const Binding* const present = parts_.bindings.find(name->id());
  if (present && present->phase != Phase::attaching) {
    return Error{Errc::busy, "the target has a binding of this name"};
  }
  if (!present && parts_.bindings.moving.size() >= kMaxMoves) {
    return Error{Errc::busy, "too many moves"};
  }
  return {};
}

void MoveTarget::on_state(State state, const Process& from) {
  // A ticket for another process is not this one's to refuse either.
  if (state.ticket.target.channel() != parts_.state.self.channel()) return;
  auto accepted = parts_.state.left ? Result<>(Error{Errc::closed}) : may_take(state, from);
  if (accepted) accepted = parts_.events.on_arriving(state.name, from, state.application);
  if (!accepted) return refuse(state, from, accepted.error());
  attach(std::move(state));
}

void MoveTarget::refuse(const State& state, const Process& from, const Error& reason) {
  Bytes record;
  encode(StateRefused{state.ticket, errc_of(reason), reason.detail}, record);
  const auto sent = send_system(parts_.origin, from, {}, Lane::bulk, record, kSystemToken);
  assert(sent);  // it is small, and windows do not apply
}

void MoveTarget::attach(State state) {
  auto name = *Name::of(state.name);
  // A binding that is still attaching was not granted by busroot; this state is newer.
  if (parts_.bindings.find(name.id())) parts_.bindings.erase(name.id());
  Binding& binding = parts_.bindings.add(std::move(name));
  binding.phase = Phase::attaching;
  binding.epoch = state.epoch;
  binding.lineage = state.lineage;
  binding.move = std::make_unique<MoveAttempt>();
  binding.move->ticket = state.ticket;
  binding.move->since = parts_.state.now;
  binding.move->filter = std::move(state.filter);
  binding.move->application = std::move(state.application);
  if (!state.outbox.empty()) {
    binding.outbox = std::make_unique<Outbox>();
    binding.outbox->unpack(std::move(state.outbox), parts_.state.now);
  }
  parts_.bindings.moving.insert(binding.channel());
  parts_.requests.begin(binding);
}

void MoveTarget::on_attached(Binding& binding, const Attached& attached) {
  assert(binding.moves_under(attached.ticket, Phase::attaching));
  const ChannelId channel = binding.channel();
  const std::vector<FilterRow> filter = std::move(binding.move->filter);
  Bytes application = std::move(binding.move->application);
  binding.phase = Phase::active;
  binding.epoch = attached.epoch;
  binding.lineage = attached.lineage;
  parts_.owner.activate(channel, binding.epoch, binding.lineage, binding.id, filter);
  if (binding.outbox) parts_.bindings.waiting.insert(channel);
  const BindingId id = binding.id;
  const std::string name = binding.name.text();
  end_move(binding, parts_.bindings, parts_.requests);  // sends active
  parts_.events.on_arrived(id, name, attached.epoch, std::move(application));
}

}  // namespace starbus::bus
