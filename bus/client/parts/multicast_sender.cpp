#include "bus/client/parts/multicast_sender.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {
namespace {

Error left_out(const Name& name) {
  return Error{Errc::would_block, name.text() + ": its window is full, it was left out"};
}

}  // namespace

Result<> MulticastSender::send(std::span<const std::string> to, ByteView body,
                               const SendOptions& options, const Done<GroupOutcome>& done) {
  Receivers receivers;
  receivers.names.reserve(to.size());
  for (const std::string& text : to) {
    const auto name = context_.names.name_of(text);
    if (!name) return name.error();
    if (is_shared_name(text) || is_group_name(text)) {
      return Error{Errc::bad_name, text + " is a set; multicast goes to owned channels"};
    }
    if (auto allowed = context_.process.may_send(text); !allowed) return allowed;
    receivers.names.push_back(*name);
  }
  receivers.recipients.reserve(to.size());
  for (const Name& name : receivers.names) {
    context_.names.remember(name);
    receivers.recipients.push_back({sender_.destination(name, {})});
  }
  FullReceivers full;
  return send(receivers, body, options, done, full);
}

Result<> MulticastSender::send(const Receivers& to, ByteView body, const SendOptions& options,
                               const Done<GroupOutcome>& done, FullReceivers& full) {
  full.skip = options.when_full != WhenFull::wait;
  const Result<> sent =
      done ? send_awaited(to, body, options, done, full) : put(to.recipients, body, options, full);
  if (sent) {
    if (!done && !full.places.empty()) report_left_out(to, options.lane, full);
    return sent;
  }
  if (sent.error() != Errc::would_block || full.places.empty()) return sent;
  const std::string others = std::to_string(full.places.size() - 1);
  return Error{Errc::would_block, to.names[full.places.front()].text() + " and " + others +
                                      " other receivers have a full window"};
}

Result<> MulticastSender::put(std::span<const Recipient> recipients, ByteView body,
                              const SendOptions& options, FullReceivers& full) {
  Envelope envelope;
  envelope.trace = options.trace;
  Bytes& head = context_.envelope;
  encode_envelope(envelope, head);
  const Time expires = expiry_of(options.ttl);
  ProcessCore& process = context_.process;
  auto sent =
      options.from == ChannelId{}
          ? process.origin().multicast(recipients, options.lane, head, body, expires, 0, &full)
          : process.multicast_from(options.from, recipients, options.lane, head, body, expires,
                                   &full);
  if (sent) context_.link.request_send(body.size());
  return sent;
}

Result<> MulticastSender::send_awaited(const Receivers& to, ByteView body,
                                       const SendOptions& options, const Done<GroupOutcome>& done,
                                       FullReceivers& full) {
  if (to.recipients.empty()) {
    context_.complete<GroupOutcome>(done, GroupOutcome{});
    return {};
  }
  const Token first = context_.next_token;
  std::vector<Recipient> recipients = to.recipients;
  for (std::size_t i = 0; i < recipients.size(); ++i) recipients[i].token = first + i;
  if (auto sent = put(recipients, body, options, full); !sent) return sent;
  context_.next_token += recipients.size();
  const auto outcome = std::make_shared<Outcome>(Outcome{{}, recipients.size(), done});
  auto skipped = full.places.begin();
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (skipped != full.places.end() && *skipped == i) {
      ++skipped;
      end(outcome, to.names[i], left_out(to.names[i]));
      continue;
    }
    sender_.await_end(first + i, [this, outcome, name = to.names[i]](const Result<>& result) {
      end(outcome, name, result);
    });
  }
  return {};
}

void MulticastSender::end(const std::shared_ptr<Outcome>& outcome, const Name& name,
                          const Result<>& result) {
  if (result) {
    ++outcome->ends.handled;
  } else {
    outcome->ends.failed.push_back({name.text(), result.error()});
  }
  if (--outcome->open != 0) return;
  context_.complete<GroupOutcome>(std::move(outcome->done), std::move(outcome->ends));
}

/// On a later turn of the loop: a callback of the user never runs within its call.
void MulticastSender::report_left_out(const Receivers& to, Lane lane, const FullReceivers& full) {
  std::vector<Name> names;
  names.reserve(full.places.size());
  for (const std::size_t place : full.places) names.push_back(to.names[place]);
  boost::asio::post(context_.loop, [this, weak = context_.self, lane, names = std::move(names)] {
    const auto held = weak.lock();
    for (const Name& name : names) {
      if (!held || context_.closed) return;  // the callback may end the bus
      context_.undelivered({name.id(), name.text(), lane, left_out(name)});
    }
  });
}

}  // namespace starbus::bus
