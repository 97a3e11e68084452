#include "bus/core/ends/channel_sender.hpp"

namespace starbus::bus {

using Phase = Binding::Phase;

/// A message after the state was packed would stay here if the move succeeds.
Result<> ChannelSender::may_send(const Binding* binding) {
  if (!binding || (binding->phase != Phase::active && binding->phase != Phase::frozen)) {
    return Error{Errc::not_bound};
  }
  if (binding->phase == Phase::frozen && binding->move->packed) {
    return Error{Errc::busy, "the state of the channel has left"};
  }
  return {};
}

bool ChannelSender::may_send_now(const Binding& binding) {
  return binding.phase == Phase::active && !binding.move && !binding.outbox;
}

Result<> ChannelSender::has_room(const Binding& binding, std::size_t bytes) {
  if (!binding.outbox || binding.outbox->has_room(bytes)) return {};
  return Error{Errc::would_block, "the outbox of the channel is full"};
}

std::uint32_t ChannelSender::sender_of(Binding& binding) {
  if (binding.sender == 0) {
    binding.sender = next_sender_++;
    if (next_sender_ == 0) next_sender_ = 1;
  }
  return binding.sender;
}

Result<> ChannelSender::send(const ChannelId& from, const Destination& to, Lane lane, ByteView head,
                             ByteView body, Time expires) {
  Binding* const binding = bindings_.find(from);
  if (auto allowed = may_send(binding); !allowed) return allowed;
  if (may_send_now(*binding)) {
    const auto sent = origin_.send(to, lane, head, body, 0, expires, {sender_of(*binding), false});
    return sent ? Result<>() : sent.error();
  }
  if (body.size() > kMaxBody) return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  if (auto room = has_room(*binding, head.size() + body.size()); !room) return room;
  put_in_outbox(*binding, to, lane, head, body, expires);
  return {};
}

Result<> ChannelSender::multicast(const ChannelId& from, std::span<const Recipient> recipients,
                                  Lane lane, ByteView head, ByteView body, Time expires,
                                  FullReceivers* full) {
  Binding* const binding = bindings_.find(from);
  if (auto allowed = may_send(binding); !allowed) return allowed;
  if (may_send_now(*binding)) {
    return origin_.multicast(recipients, lane, head, body, expires, sender_of(*binding), full);
  }
  if (recipients.size() > kMaxGroup) return Error{Errc::group_too_large};
  if (body.size() > kMaxBody) return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  const std::size_t bytes = (head.size() + body.size()) * recipients.size();
  if (auto room = has_room(*binding, bytes); !room) return room;
  for (const Recipient& recipient : recipients) {
    put_in_outbox(*binding, recipient.to, lane, head, body, expires);
  }
  return {};
}

void ChannelSender::put_in_outbox(Binding& binding, const Destination& to, Lane lane, ByteView head,
                                  ByteView body, Time expires) {
  if (!binding.outbox) {
    binding.outbox = std::make_unique<Outbox>();
    bindings_.waiting.insert(binding.channel());
  }
  OutboxItem item;
  item.channel = to.channel;
  item.open_name = to.open_name;
  item.lane = lane;
  item.message.assign(head.begin(), head.end());
  item.message.insert(item.message.end(), body.begin(), body.end());
  binding.outbox->push(std::move(item), expires);
}

void ChannelSender::flush() {
  if (bindings_.waiting.empty()) return;
  const std::vector<ChannelId> channels(bindings_.waiting.begin(), bindings_.waiting.end());
  for (const ChannelId& channel : channels) {
    Binding* const binding = bindings_.find(channel);
    if (binding && binding->outbox) flush(*binding);
  }
}

bool ChannelSender::is_denied(const OutboxItem& item) const {
  const RoleRights& rights = state_.rights;
  return rights.restricted && item.channel.high != kProcessTag &&
         !matches_any(rights.send_prefixes, item.open_name);
}

void ChannelSender::flush(Binding& binding) {
  if (binding.phase != Phase::active || binding.move) return;
  Outbox& outbox = *binding.outbox;
  const std::uint32_t sender = sender_of(binding);
  std::vector<std::pair<OutboxItem, Errc>> given_up;
  while (!outbox.empty()) {
    const Outbox::Entry& next = outbox.front();
    const OutboxItem& item = next.item;
    const bool expired = next.expires != Time{} && next.expires <= state_.now;
    if (expired || is_denied(item)) {
      given_up.emplace_back(outbox.pop().item, expired ? Errc::expired : Errc::denied);
      continue;
    }
    const std::string_view open = state_.rights.restricted ? std::string_view(item.open_name) : "";
    const auto sent = origin_.send({item.channel, {}, open}, item.lane, {}, item.message, 0,
                                   next.expires, {sender, false});
    if (!sent) break;  // a window is full: flush is called again when it has room
    outbox.pop();
  }
  if (outbox.empty()) {
    bindings_.waiting.erase(binding.channel());
    binding.outbox.reset();
  }
  for (const auto& [item, reason] : given_up) {
    events_.on_failed(0, item.channel, item.lane, 0, reason, false);
  }
}

void ChannelSender::fail_outbox(Binding& binding, Errc reason, bool sent) {
  if (!binding.outbox) return;
  const std::unique_ptr<Outbox> outbox = std::move(binding.outbox);
  bindings_.waiting.erase(binding.channel());
  while (!outbox->empty()) {
    const OutboxItem item = outbox->pop().item;
    events_.on_failed(0, item.channel, item.lane, 0, reason, sent);
  }
}

}  // namespace starbus::bus
