// Channels that leave and arrive, and what they want to send meanwhile. docs/design/protocol.md,
// "Moves".
#include <algorithm>

#include "bus/core/ends/process_core.hpp"
#include "bus/core/sabotage.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {

// --- the source ----------------------------------------------------------------------------------

Result<> ProcessCore::move(const ChannelId& channel, const Process& target, Lineage hint) {
  Binding* const binding = find(channel);
  if (!binding || binding->phase != Phase::active) return Error{Errc::not_bound};
  if (channel.high == kProcessTag) {
    return Error{Errc::denied, "the channel of a process ends with it"};
  }
  if (binding->durable) return Error{Errc::denied, "its state is on the disk of this host"};
  if (target == self_) return Error{Errc::denied, "the channel is here already"};
  if (binding->move) return Error{Errc::busy, "the channel is moving"};
  if (moving_.size() >= kMaxMoves) {
    return Error{Errc::busy, std::to_string(kMaxMoves) + " channels are moving"};
  }
  binding->move = std::make_unique<Move>();
  binding->move->ticket = {self_, target, next_binding_++};
  binding->move->target_lineage = hint;
  binding->move->since = now_;
  moving_.insert(channel);
  if (sabotaged(Sabotage::drain_while_frozen)) owner_.freeze(channel);
  if (origin_.drained(binding->sender)) ask_to_move(*binding);
  return {};
}

void ProcessCore::ask_to_move(Binding& binding) {
  binding.move->asked = true;
  unanswered_.insert(binding.name.id());
  if (greeted_) ask(binding);
}

bool ProcessCore::moving(const ChannelId& channel) const {
  const auto found = bindings_.find(channel);
  return found != bindings_.end() && found->second->move != nullptr;
}

/// Asks for what has drained, gives up what has not in time, and sends what may be sent again.
void ProcessCore::advance_moves() {
  const std::vector<ChannelId> channels(moving_.begin(), moving_.end());
  for (const ChannelId& channel : channels) {
    Binding* const binding = find(channel);
    if (!binding || !binding->move || binding->phase != Phase::active) continue;
    Move& move = *binding->move;
    if (move.asked) continue;
    if (origin_.drained(binding->sender) || sabotaged(Sabotage::freeze_without_drain)) {
      ask_to_move(*binding);
    } else if (now_ - move.since > from_ms(kDrainDeadline)) {
      cancel_move(*binding, {Errc::busy, "its own messages were not acknowledged in time"});
    }
  }
  flush_outboxes();
}

void ProcessCore::on_move_ok(const MoveOk& ok) {
  Binding* const binding = find(ok.channel);
  if (!binding || !binding->move || binding->move->ticket != ok.ticket) return;
  if (binding->phase == Phase::active && binding->move->asked) freeze(*binding);
}

void ProcessCore::on_no_move(const NoMove& refused) {
  Binding* const binding = find(refused.channel);
  if (!binding || !binding->move || binding->move->ticket != refused.ticket) return;
  if (binding->phase == Phase::active) cancel_move(*binding, {refused.reason, refused.detail});
}

void ProcessCore::cancel_move(Binding& binding, const Error& reason) {
  const BindingId id = binding.id;
  const Epoch epoch = binding.epoch;
  end_move(binding);
  events_.on_move_failed(id, epoch, reason);
}

/// The binding stays, without a move. What it still has to ask for is whether it is confirmed.
void ProcessCore::end_move(Binding& binding) {
  const ChannelId channel = binding.name.id();
  binding.move.reset();
  moving_.erase(channel);
  if (binding.confirmed) {
    unanswered_.erase(channel);
  } else {
    unanswered_.insert(channel);
    if (greeted_) ask(binding);
  }
}

void ProcessCore::freeze(Binding& binding) {
  const ChannelId channel = binding.name.id();
  binding.phase = Phase::frozen;
  binding.confirmed = true;
  binding.asked = now_;
  Move& move = *binding.move;
  move.since = now_;
  State state;
  state.ticket = move.ticket;
  state.name = binding.name.text();
  state.epoch = binding.epoch;
  state.lineage = binding.lineage;
  state.filter = owner_.freeze(channel);
  state.application = events_.on_freeze(binding.id);
  if (find(channel) != &binding) return;  // on_freeze has left
  const bool left_behind = sabotaged(Sabotage::outbox_left_behind);
  if (binding.outbox && !left_behind) state.outbox = binding.outbox->pack(now_);
  move.packed = true;
  Bytes record;
  encode(state, record);
  if (record.size() > kMaxBody) {
    reclaim_now(binding, {Errc::too_large, std::to_string(record.size()) + " bytes of state"});
    return;
  }
  move.state = next_state_++;
  states_.emplace(move.state, channel);
  move.state_seq = say_system(move.ticket.target, move.target_lineage, record, move.state);
}

std::uint64_t ProcessCore::say_system(const Process& to, Lineage hint, ByteView record,
                                      Token token) {
  // Nothing refuses it: sizes were checked, and windows do not apply.
  return *origin_.send({to.channel(), hint, {}}, Lane::bulk, {}, record, token, Time{}, {0, true});
}

void ProcessCore::say_mail(const Process& to, Lineage hint, ByteView record) {
  // Windows do not apply, and what a store keeps is small enough (kMaxPostBody). If something is
  // not, its reader waits: no reason to end a daemon.
  (void)origin_.send({to.channel(), hint, {}}, kMailLane, {}, record, kMailToken, Time{},
                     {0, true});
}

/// The state did not arrive, or is not wanted: no need to wait.
void ProcessCore::reclaim_now(Binding& binding, const Error& reason) {
  if (binding.move->reclaiming) return;
  binding.move->reclaiming = true;
  binding.move->failure = reason;
  unanswered_.insert(binding.name.id());
  if (greeted_) ask(binding);
}

void ProcessCore::on_state_refused(const StateRefused& refused) {
  for (const ChannelId& channel : moving_) {
    Binding* const binding = find(channel);
    if (binding->phase != Phase::frozen || binding->move->ticket != refused.ticket) continue;
    return reclaim_now(*binding, {refused.reason, refused.detail});
  }
}

void ProcessCore::on_reclaimed(const Reclaimed& reclaimed) {
  Binding* const binding = find(reclaimed.channel);
  if (!binding) return refuse_grant(reclaimed.channel, reclaimed.ticket);
  if (binding->phase != Phase::frozen || binding->move->ticket != reclaimed.ticket) {
    if (binding->phase == Phase::active && binding->epoch == reclaimed.epoch) {
      say(Active{self_, reclaimed.channel, binding->epoch});
    }
    return;
  }
  const bool same_life = reclaimed.lineage == binding->lineage;
  const Error reason = same_life ? binding->move->failure
                                 : Error{Errc::rolled_back,
                                         "the target may have run: see docs/design/guarantees.md"};
  // What is still on its way to the target is of no use there.
  if (states_.erase(binding->move->state) != 0) {
    origin_.withdraw(binding->move->ticket.target.channel(), Lane::bulk, binding->move->state_seq);
  }
  binding->phase = Phase::active;
  binding->epoch = reclaimed.epoch;
  binding->lineage = reclaimed.lineage;
  binding->confirmed = false;
  owner_.resume(reclaimed.channel, reclaimed.epoch, reclaimed.lineage);
  const BindingId id = binding->id;
  end_move(*binding);
  if (!same_life) void_outbox(*binding, Errc::owner_lost, true);
  events_.on_move_failed(id, reclaimed.epoch, reason);
}

void ProcessCore::on_moved(const Moved& moved) {
  Binding* const binding = find(moved.channel);
  if (binding && binding->phase == Phase::frozen && binding->move->ticket == moved.ticket) {
    const BindingId id = binding->id;
    owner_.deactivate(moved.channel);
    forget(moved.channel);
    refuse_grant(moved.channel, moved.ticket);
    events_.on_moved(id);
  } else if (!binding) {
    refuse_grant(moved.channel, moved.ticket);
  }
}

// --- the target ----------------------------------------------------------------------------------

void ProcessCore::on_system(const Delivery& delivery) {
  if (delivery.body.size() < kRecordHeader) return;
  const auto kind = static_cast<Kind>(delivery.body[sizeof(std::uint32_t)]);
  const ByteView payload = delivery.body.subspan(kRecordHeader);
  // A broken one comes from a broken or hostile process: it is handled, and nothing follows.
  if (kind == Kind::state) {
    if (auto state = decode<State>(payload)) take_state(std::move(*state), delivery.origin);
  } else if (kind == Kind::state_refused) {
    if (const auto refused = decode<StateRefused>(payload);
        refused && refused->ticket.target.channel() == delivery.origin.channel()) {
      on_state_refused(*refused);
    }
  } else if (is_mail(kind) || is_shard(kind)) {
    events_.on_mail(delivery.origin, kind, payload);
  }
}

Result<> ProcessCore::may_take(const State& state, const Process& from) const {
  const Ticket& ticket = state.ticket;
  if (ticket.target != self_ || ticket.source != from || !ticket) {
    return Error{Errc::move_refused, "the ticket is for another process"};
  }
  const auto name = Name::of(state.name);
  if (!name || name->id().high == kProcessTag || !state.epoch || !state.lineage) {
    return Error{Errc::move_refused, "malformed state"};
  }
  if (!matches_any(bind_prefixes_, state.name)) {
    return Error{Errc::denied, "role '" + config_.role + "' may not bind " + state.name};
  }
  if (bindings_.size() > max_names_) return Error{Errc::too_many_names};
  const auto present = bindings_.find(name->id());
  const bool fresh = present == bindings_.end();
  if (!fresh && present->second->phase != Phase::attaching) {
    return Error{Errc::busy, "the target has a binding of this name"};
  }
  if (fresh && moving_.size() >= kMaxMoves) return Error{Errc::busy, "too many moves"};
  return {};
}

void ProcessCore::take_state(State state, const Process& from) {
  // For somebody else: not ours to refuse either.
  if (state.ticket.target.channel() != self_.channel()) return;
  auto accepted = left_ ? Result<>(Error{Errc::closed}) : may_take(state, from);
  if (accepted) accepted = events_.on_arriving(state.name, from, state.application);
  if (!accepted) {
    Bytes record;
    encode(StateRefused{state.ticket, accepted.error().code, accepted.error().detail}, record);
    say_system(from, {}, record, kSystemToken);
    return;
  }
  auto name = *Name::of(state.name);
  const ChannelId channel = name.id();
  if (find(channel)) forget(channel);  // an attempt that busroot has not granted: this one is newer
  auto binding = std::make_unique<Binding>(Binding{next_binding_++, std::move(name)});
  binding->phase = Phase::attaching;
  binding->epoch = state.epoch;
  binding->lineage = state.lineage;
  binding->move = std::make_unique<Move>();
  binding->move->ticket = state.ticket;
  binding->move->since = now_;
  binding->move->filter = std::move(state.filter);
  binding->move->application = std::move(state.application);
  if (!state.outbox.empty()) {
    binding->outbox = std::make_unique<Outbox>();
    binding->outbox->unpack(std::move(state.outbox), now_);
  }
  moving_.insert(channel);
  unanswered_.insert(channel);
  if (greeted_) ask(*binding);
  bindings_.emplace(channel, std::move(binding));
}

void ProcessCore::arrive(Binding& binding, const Attached& attached) {
  const ChannelId channel = binding.name.id();
  const std::vector<FilterRow> filter = std::move(binding.move->filter);
  Bytes application = std::move(binding.move->application);
  binding.phase = Phase::active;
  binding.epoch = attached.epoch;
  binding.lineage = attached.lineage;
  owner_.activate(channel, binding.epoch, binding.lineage, binding.id, filter);
  if (binding.outbox) waiting_.insert(channel);
  const BindingId id = binding.id;
  const std::string name = binding.name.text();
  end_move(binding);  // says active
  events_.on_arrived(id, name, attached.epoch, std::move(application));
}

// --- what a channel sends ------------------------------------------------------------------------

bool ProcessCore::may_send_now(const Binding& binding) const {
  return binding.phase == Phase::active && !binding.move && !binding.outbox;
}

/// What came after the state was packed would stay behind when the move succeeds.
Result<> ProcessCore::may_send_from(const Binding* binding) {
  if (!binding || (binding->phase != Phase::active && binding->phase != Phase::frozen)) {
    return Error{Errc::not_bound};
  }
  if (binding->phase == Phase::frozen && binding->move->packed) {
    return Error{Errc::busy, "the state of the channel has left"};
  }
  return {};
}

std::uint32_t ProcessCore::sender_of(Binding& binding) {
  if (binding.sender == 0) {
    binding.sender = next_sender_++;
    if (next_sender_ == 0) next_sender_ = 1;
  }
  return binding.sender;
}

Result<> ProcessCore::send_from(const ChannelId& from, const Destination& to, Lane lane,
                                ByteView head, ByteView body, Time expires) {
  Binding* const binding = find(from);
  if (auto allowed = may_send_from(binding); !allowed) return allowed;
  if (may_send_now(*binding)) {
    const auto sent = origin_.send(to, lane, head, body, 0, expires, {sender_of(*binding), false});
    return sent ? Result<>() : sent.error();
  }
  if (body.size() > kMaxBody) return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  if (binding->outbox && !binding->outbox->has_room(head.size() + body.size())) {
    return Error{Errc::would_block, "the outbox of the channel is full"};
  }
  wait_in_outbox(*binding, to, lane, head, body, expires);
  return {};
}

Result<> ProcessCore::multicast_from(const ChannelId& from,
                                     std::span<const Origin::Recipient> recipients, Lane lane,
                                     ByteView head, ByteView body, Time expires) {
  Binding* const binding = find(from);
  if (auto allowed = may_send_from(binding); !allowed) return allowed;
  if (may_send_now(*binding)) {
    return origin_.multicast(recipients, lane, head, body, expires, sender_of(*binding));
  }
  if (recipients.size() > kMaxGroup) return Error{Errc::group_too_large};
  if (body.size() > kMaxBody) return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  const std::size_t bytes = (head.size() + body.size()) * recipients.size();
  if (binding->outbox && !binding->outbox->has_room(bytes)) {
    return Error{Errc::would_block, "the outbox of the channel is full"};
  }
  for (const Origin::Recipient& recipient : recipients) {
    wait_in_outbox(*binding, recipient.to, lane, head, body, expires);
  }
  return {};
}

void ProcessCore::wait_in_outbox(Binding& binding, const Destination& to, Lane lane, ByteView head,
                                 ByteView body, Time expires) {
  if (!binding.outbox) {
    binding.outbox = std::make_unique<Outbox>();
    waiting_.insert(binding.name.id());
  }
  OutboxItem item;
  item.channel = to.channel;
  item.open_name = to.open_name;
  item.lane = lane;
  item.message.assign(head.begin(), head.end());
  item.message.insert(item.message.end(), body.begin(), body.end());
  binding.outbox->push(std::move(item), expires);
}

void ProcessCore::flush_outboxes() {
  const std::vector<ChannelId> channels(waiting_.begin(), waiting_.end());
  for (const ChannelId& channel : channels) {
    if (Binding* const binding = find(channel); binding && binding->outbox) flush_outbox(*binding);
  }
}

void ProcessCore::flush_outbox(Binding& binding) {
  if (binding.phase != Phase::active || binding.move) return;
  Outbox& outbox = *binding.outbox;
  const std::uint32_t sender = sender_of(binding);
  std::vector<std::pair<OutboxItem, Errc>> given_up;
  while (!outbox.empty()) {
    const Outbox::Entry& next = outbox.front();
    const OutboxItem& item = next.item;
    const bool expired = next.expires != Time{} && next.expires <= now_;
    const bool denied = restricted_ && item.channel.high != kProcessTag &&
                        !matches_any(send_prefixes_, item.open_name);
    if (expired || denied) {
      given_up.emplace_back(outbox.pop().item, expired ? Errc::expired : Errc::denied);
      continue;
    }
    const std::string_view open = restricted_ ? std::string_view(item.open_name) : "";
    const auto sent = origin_.send({item.channel, {}, open}, item.lane, {}, item.message, 0,
                                   next.expires, {sender, false});
    if (!sent) break;  // a window is full: on_room
    outbox.pop();
  }
  if (outbox.empty()) {
    waiting_.erase(binding.name.id());
    binding.outbox.reset();
  }
  for (const auto& [item, reason] : given_up) {
    events_.on_failed(0, item.channel, item.lane, 0, reason, false);
  }
}

/// `sent`: the target of a move may have sent them.
void ProcessCore::void_outbox(Binding& binding, Errc reason, bool sent) {
  if (!binding.outbox) return;
  const std::unique_ptr<Outbox> outbox = std::move(binding.outbox);
  waiting_.erase(binding.name.id());
  while (!outbox->empty()) {
    const OutboxItem item = outbox->pop().item;
    events_.on_failed(0, item.channel, item.lane, 0, reason, sent);
  }
}

// --- what became of what was sent ----------------------------------------------------------------

void ProcessCore::on_acknowledged(Token token) {
  if (token < kSystemToken) return events_.on_acknowledged(token);
  states_.erase(token);
}

void ProcessCore::on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq,
                            Errc reason, bool sent) {
  if (token < kSystemToken) return events_.on_failed(token, channel, lane, seq, reason, sent);
  if (token == kMailToken) return events_.on_mail_lost(channel);
  const auto state = states_.extract(token);
  Binding* const binding = state ? find(state.mapped()) : nullptr;
  if (binding && binding->phase == Phase::frozen && binding->move->state == token) {
    reclaim_now(*binding, {Errc::move_refused, "the target is gone"});
  }
}

void ProcessCore::on_posted(Token token, Errc status, std::uint64_t number) {
  events_.on_posted(token, status, number);
}

void ProcessCore::on_room() {
  flush_outboxes();
  events_.on_room();
}

}  // namespace starbus::bus
