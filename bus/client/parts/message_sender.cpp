#include "bus/client/parts/message_sender.hpp"

#include <utility>

namespace starbus::bus {

Destination MessageSender::destination(const Name& to, Lineage hint) const {
  const bool open = context_.process.restricted() && to.id().high != kProcessTag;
  return {to.id(), hint, open ? std::string_view(to.text()) : std::string_view()};
}

Result<std::uint64_t> MessageSender::send(const Name& to, const Outgoing& how,
                                          const Envelope& envelope, ByteView body) {
  if (auto allowed = context_.process.may_send(to.text()); !allowed) return allowed.error();
  if (how.lane == Lane::control) return Error{Errc::denied, "the control lane is the bus' own"};
  Bytes& head = context_.envelope;
  encode_envelope(envelope, head);
  const Time expires = expiry_of(how.ttl);
  const Destination destined = destination(to, how.hint);
  std::uint64_t seq = 0;
  if (how.from == ChannelId{}) {
    const auto sent =
        context_.process.origin().send(destined, how.lane, head, body, how.token, expires);
    if (!sent) return sent;
    seq = *sent;
  } else {
    const auto sent = context_.process.send_from(how.from, destined, how.lane, head, body, expires);
    if (!sent) return sent.error();
  }
  context_.names.remember(to);
  context_.link.request_send(head.size() + body.size());
  return seq;
}

Result<> MessageSender::send(const Name& to, Lineage hint, ByteView body,
                             const SendOptions& options, Done<> done) {
  Envelope envelope;
  envelope.trace = options.trace;
  const Token token = done ? context_.next_token : 0;
  const auto seq = send(to, {options.lane, hint, token, options.from, options.ttl}, envelope, body);
  if (!seq) return seq.error();
  if (token != 0) acknowledgements_.emplace(context_.next_token++, std::move(done));
  return {};
}

Result<> MessageSender::multicast(std::span<const std::string> to, ByteView body,
                                  const SendOptions& options) {
  std::vector<Name> names;
  names.reserve(to.size());
  for (const std::string& text : to) {
    const auto name = context_.names.name_of(text);
    if (!name) return name.error();
    if (is_shared_name(text) || is_group_name(text)) {
      return Error{Errc::bad_name, text + " is a set; multicast goes to owned channels"};
    }
    if (auto allowed = context_.process.may_send(text); !allowed) return allowed;
    names.push_back(*name);
  }
  std::vector<Recipient> recipients;
  recipients.reserve(names.size());
  for (const Name& name : names) {
    context_.names.remember(name);
    recipients.push_back({destination(name, {})});
  }
  return multicast(recipients, body, options);
}

Result<> MessageSender::multicast(std::span<const Recipient> recipients, ByteView body,
                                  const SendOptions& options) {
  Envelope envelope;
  envelope.trace = options.trace;
  encode_envelope(envelope, context_.envelope);
  const Time expires = expiry_of(options.ttl);
  ProcessCore& process = context_.process;
  auto sent =
      options.from == ChannelId{}
          ? process.origin().multicast(recipients, options.lane, context_.envelope, body, expires)
          : process.multicast_from(options.from, recipients, options.lane, context_.envelope, body,
                                   expires);
  if (sent) context_.link.request_send(body.size());
  return sent;
}

void MessageSender::on_acknowledged(Token token) {
  const auto found = acknowledgements_.find(token);
  if (found == acknowledgements_.end()) return;
  context_.complete<void>(std::move(found->second), {});
  acknowledgements_.erase(found);
}

bool MessageSender::on_failed(Token token, const Error& error) {
  const auto found = acknowledgements_.find(token);
  if (found == acknowledgements_.end()) return false;
  context_.complete<void>(std::move(found->second), error);
  acknowledgements_.erase(found);
  return true;
}

void MessageSender::shut(const Error& reason) {
  for (auto& [token, done] : std::exchange(acknowledgements_, {})) {
    context_.complete<void>(std::move(done), reason);
  }
}

}  // namespace starbus::bus
