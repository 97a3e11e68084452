#include "bus/core/ends/name_requests.hpp"

namespace starbus::bus {

using Phase = Binding::Phase;

void NameRequests::begin(Binding& binding) {
  bindings_.unanswered.insert(binding.channel());
  if (state_.greeted) send(binding);
}

/// A bind that is not wanted any more is still asked for, so that its grant is seen and given back.
void NameRequests::send(Binding& binding) {
  binding.asked = state_.now;
  const ChannelId channel = binding.channel();
  const MoveAttempt* const move = binding.move.get();
  if (binding.phase == Phase::attaching) {
    control_.add(Attach{state_.self, binding.name.text(), move->ticket});
  } else if (binding.phase == Phase::frozen) {
    if (move->reclaiming || state_.now - move->since >= kReclaimAfter) {
      control_.add(Reclaim{state_.self, binding.name.text(), move->ticket});
    }
  } else if (!binding.epoch) {
    send_grant_request(binding);
  } else if (binding.phase == Phase::unbinding) {
    control_.add(Unbind{state_.self, channel, binding.epoch});
  } else if (move && move->asked) {
    control_.add(Move{state_.self, channel, binding.epoch, move->ticket});
  } else if (!binding.confirmed) {
    control_.add(Active{state_.self, channel, binding.epoch});
  }
}

void NameRequests::send_grant_request(const Binding& binding) {
  if (binding.resumed) {
    control_.add(Resume{state_.self, binding.id, binding.name.text(), binding.resumed});
  } else {
    control_.add(Bind{state_.self, binding.id, binding.name.text()});
  }
}

void NameRequests::free(const ChannelId& channel, const Ticket& ticket) {
  freeing_[{channel, ticket.number}] = {ticket, state_.now};
  control_.add(Freed{state_.self, channel, ticket});
}

void NameRequests::on_freed_ok(const FreedOk& ok) {
  const auto found = freeing_.find({ok.channel, ok.ticket.number});
  if (found != freeing_.end() && found->second.ticket == ok.ticket) freeing_.erase(found);
}

void NameRequests::on_session() {
  for (const ChannelId& channel : bindings_.unanswered) {
    Binding& binding = *bindings_.find(channel);
    binding.repeated = true;  // it may have been sent in the session before
    send(binding);
  }
  for (auto& [key, freeing] : freeing_) freeing.asked = Time{};
}

void NameRequests::repeat() {
  for (const ChannelId& channel : bindings_.unanswered) {
    Binding& binding = *bindings_.find(channel);
    if (state_.now - binding.asked < kRequestRetry) continue;
    binding.repeated = true;
    send(binding);
  }
  for (auto& [key, freeing] : freeing_) {
    if (state_.now - freeing.asked < kRequestRetry) continue;
    freeing.asked = state_.now;
    control_.add(Freed{state_.self, key.first, freeing.ticket});
  }
}

Ticket NameRequests::ticket_of(const Binding& binding) const {
  return binding.move ? binding.move->ticket : Ticket::of_bind(state_.self, binding.id);
}

}  // namespace starbus::bus
