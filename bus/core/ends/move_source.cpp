#include "bus/core/ends/move_source.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {

using Phase = Binding::Phase;

void end_move(Binding& binding, BindingTable& bindings, NameRequests& requests) {
  binding.move.reset();
  bindings.moving.erase(binding.channel());
  if (binding.confirmed) {
    requests.answered(binding.channel());
  } else {
    requests.begin(binding);
  }
}

Result<> MoveSource::begin(const ChannelId& channel, const Process& target, Lineage hint) {
  Binding* const binding = parts_.bindings.find(channel);
  if (!binding || binding->phase != Phase::active) return Error{Errc::not_bound};
  if (holder_for_life(binding->name.text()) == parts_.state.self.channel()) {
    return Error{Errc::denied, "a process has this name until its end"};
  }
  if (binding->durable) return Error{Errc::denied, "its state is on the disk of this host"};
  if (target == parts_.state.self) return Error{Errc::denied, "the channel is here already"};
  if (binding->move || binding->paused) return Error{Errc::busy, "the channel is moving"};
  if (parts_.bindings.moving.size() >= kMaxMoves) {
    return Error{Errc::busy, std::to_string(kMaxMoves) + " channels are moving"};
  }
  binding->move = std::make_unique<MoveAttempt>();
  binding->move->ticket = {parts_.state.self, target, parts_.bindings.next_id()};
  binding->move->target_lineage = hint;
  binding->move->since = parts_.state.now;
  parts_.bindings.moving.insert(channel);
  if (parts_.origin.drained(binding->sender)) ask(*binding);
  return {};
}

void MoveSource::ask(Binding& binding) {
  binding.move->asked = true;
  parts_.requests.begin(binding);
}

void MoveSource::advance() {
  const std::vector<ChannelId> channels(parts_.bindings.moving.begin(),
                                        parts_.bindings.moving.end());
  for (const ChannelId& channel : channels) {
    Binding* const binding = parts_.bindings.find(channel);
    if (!binding || !binding->move || binding->phase != Phase::active) continue;
    const MoveAttempt& move = *binding->move;
    if (move.asked) continue;
    if (parts_.origin.drained(binding->sender)) {
      ask(*binding);
    } else if (parts_.state.now - move.since > kDrainDeadline) {
      cancel(*binding, {Errc::busy, "its own messages were not acknowledged in time"});
    }
  }
}

void MoveSource::on_move_ok(const MoveOk& ok) {
  Binding* const binding = parts_.bindings.find(ok.channel);
  if (!binding || !binding->moves_under(ok.ticket, Phase::active)) return;
  if (binding->move->asked) freeze(*binding);
}

void MoveSource::on_no_move(const NoMove& refused) {
  Binding* const binding = parts_.bindings.find(refused.channel);
  if (!binding || !binding->moves_under(refused.ticket, Phase::active)) return;
  cancel(*binding, {refused.reason, refused.detail});
}

void MoveSource::cancel(Binding& binding, const Error& reason) {
  const BindingId id = binding.id;
  const Epoch epoch = binding.epoch;
  end_move(binding, parts_.bindings, parts_.requests);
  parts_.events.on_move_failed(id, epoch, reason);
}

void MoveSource::freeze(Binding& binding) {
  const ChannelId channel = binding.channel();
  binding.phase = Phase::frozen;
  binding.confirmed = true;
  binding.asked = parts_.state.now;
  binding.move->since = parts_.state.now;
  State state;
  state.ticket = binding.move->ticket;
  state.name = binding.name.text();
  state.epoch = binding.epoch;
  state.lineage = binding.lineage;
  state.filter = parts_.owner.freeze(channel);
  state.application = parts_.events.on_freeze(binding.id);
  if (parts_.bindings.find(channel) != &binding) return;  // on_freeze has left the bus
  if (binding.outbox) state.outbox = binding.outbox->pack(parts_.state.now);
  send_state(binding, state);
}

void MoveSource::send_state(Binding& binding, const State& state) {
  MoveAttempt& move = *binding.move;
  move.packed = true;
  Bytes record;
  encode(state, record);
  if (record.size() > kMaxBody) {
    reclaim(binding, {Errc::too_large, std::to_string(record.size()) + " bytes of state"});
    return;
  }
  move.state = next_state_++;
  states_.emplace(move.state, binding.channel());
  const auto seq = send_system(parts_.origin, move.ticket.target, move.target_lineage, Lane::bulk,
                               record, move.state);
  assert(seq);  // its size was checked, and windows do not apply
  move.state_seq = *seq;
}

/// The state did not arrive or was refused: asks at once, without waiting for kReclaimAfter.
void MoveSource::reclaim(Binding& binding, const Error& reason) {
  if (binding.move->reclaiming) return;
  binding.move->reclaiming = true;
  binding.move->failure = reason;
  parts_.requests.begin(binding);
}

void MoveSource::on_state_refused(const StateRefused& refused) {
  for (const ChannelId& channel : parts_.bindings.moving) {
    Binding* const binding = parts_.bindings.find(channel);
    if (!binding->moves_under(refused.ticket, Phase::frozen)) continue;
    return reclaim(*binding, {refused.reason, refused.detail});
  }
}

void MoveSource::on_state_failed(Token token) {
  const auto state = states_.extract(token);
  Binding* const binding = state ? parts_.bindings.find(state.mapped()) : nullptr;
  if (binding && binding->phase == Phase::frozen && binding->move->state == token) {
    reclaim(*binding, {Errc::move_refused, "the target is gone"});
  }
}

void MoveSource::on_reclaimed(const Reclaimed& reclaimed) {
  Binding* const binding = parts_.bindings.find(reclaimed.channel);
  if (!binding) return parts_.requests.free(reclaimed.channel, reclaimed.ticket);
  if (binding->moves_under(reclaimed.ticket, Phase::frozen)) {
    resume(*binding, reclaimed);
  } else if (binding->phase == Phase::active && binding->epoch == reclaimed.epoch) {
    parts_.control.add(Active{parts_.state.self, reclaimed.channel, binding->epoch});
  }
}

void MoveSource::resume(Binding& binding, const Reclaimed& reclaimed) {
  const bool same_life = reclaimed.lineage == binding.lineage;
  const Error reason = same_life ? binding.move->failure
                                 : Error{Errc::rolled_back,
                                         "the target may have run: see docs/design/guarantees.md"};
  if (states_.erase(binding.move->state) != 0) {  // the target has no use for it any more
    parts_.origin.withdraw(binding.move->ticket.target.channel(), Lane::bulk,
                           binding.move->state_seq);
  }
  binding.phase = Phase::active;
  binding.epoch = reclaimed.epoch;
  binding.lineage = reclaimed.lineage;
  binding.confirmed = false;
  binding.paused = true;
  parts_.owner.resume(reclaimed.channel, reclaimed.epoch, reclaimed.lineage);
  const BindingId id = binding.id;
  end_move(binding, parts_.bindings, parts_.requests);
  // The target may have sent the messages of the outbox.
  if (!same_life) parts_.sender.fail_outbox(binding, Errc::owner_lost, true);
  parts_.events.on_move_failed(id, reclaimed.epoch, reason);
}

void MoveSource::go_on(const ChannelId& channel, Epoch epoch) {
  Binding* const binding = parts_.bindings.find(channel);
  if (!binding || binding->phase != Phase::active || binding->epoch != epoch) return;
  if (!std::exchange(binding->paused, false)) return;
  parts_.owner.go_on(channel);
}

void MoveSource::on_moved(const Moved& moved) {
  Binding* const binding = parts_.bindings.find(moved.channel);
  if (!binding) return parts_.requests.free(moved.channel, moved.ticket);
  if (!binding->moves_under(moved.ticket, Phase::frozen)) return;
  const BindingId id = binding->id;
  parts_.owner.deactivate(moved.channel);
  parts_.bindings.erase(moved.channel);
  parts_.requests.free(moved.channel, moved.ticket);
  parts_.events.on_moved(id);
}

}  // namespace starbus::bus
