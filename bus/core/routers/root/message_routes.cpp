#include "bus/core/routers/root/message_routes.hpp"

#include <cassert>
#include <utility>

#include "bus/core/routers/mail_opens.hpp"

namespace starbus::bus {
namespace {

constexpr Time kHoldCheck = from_ms(500);

Error foreign_origin() {
  return {Errc::bad_bytes, "an origin of another host"};
}

}  // namespace

Result<> MessageRoutes::on_message(HostEntry& host, Kind kind, ByteView payload) {
  assert(is_message_record(kind) && host.session != nullptr);
  switch (kind) {
    case Kind::data:
      return on_data(host, payload);
    case Kind::probe:
      return on_probe(host, payload);
    case Kind::withdraw:
      return on_withdraw(host, payload);
    case Kind::multicast:
      return on_multicast(host, payload);
    case Kind::ack:
      return on_reply<Ack>(host, payload);
    case Kind::posted:
      return on_reply<Posted>(host, payload);
    default:
      return on_nack(host, payload);
  }
}

MessageRoutes::Destination MessageRoutes::destination(const ChannelId& channel) {
  Directory::Entry* const entry = root_.directory.find(channel);
  if (entry == nullptr) return {root_.grace ? Way::hold : Way::no_owner};
  if (entry->moving) return {Way::hold};
  HostEntry& host = host_of(*entry);
  assert(!host.complete || host.session != nullptr);
  return {host.complete ? Way::forward : Way::hold, &host};
}

/// The same for a message of this host. A name that its rights forbid has no owner for it.
MessageRoutes::Destination MessageRoutes::destination_from(const HostEntry& host,
                                                           const ChannelId& channel) {
  if (host.rights.sends_anywhere() || channel.high == kProcessTag) return destination(channel);
  const Directory::Entry* const entry = root_.directory.find(channel);
  if (entry != nullptr && !host.rights.may_send(entry->name())) {
    root_.forwarding.note_failure(channel, {host.id, 0, 0},
                                  "denied: host " + host.name + " may not send to it");
    return {Way::no_owner};
  }
  return destination(channel);
}

// --- replies -------------------------------------------------------------------------------------

template <class Reply>
Result<> MessageRoutes::on_reply(const HostEntry& host, ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if (!speaks_for(host, reply->channel)) return {};
  ++root_.links.counters().acks;
  root_.forwarding.route_reply(*reply, host.session->source());
  return {};
}

Result<> MessageRoutes::on_nack(const HostEntry& host, ByteView payload) {
  const auto nack = decode<Nack>(payload);
  if (!nack) return nack.error();
  // Overflow, too: it holds a sender back, and a busd says it for its own processes only.
  if (!speaks_for(host, nack->channel)) return {};
  root_.forwarding.route_reply(*nack, host.session->source());
  return {};
}

/// Whether a reply about this channel may come from there: from the host of the owner, of the owner
/// before the name became free, or of a frozen copy. Any other is late or forged, and is dropped:
/// replies may be lost.
bool MessageRoutes::speaks_for(const HostEntry& host, const ChannelId& channel) {
  const Directory::Entry* const entry = root_.directory.find(channel);
  bool speaks = false;
  if (channel.high == kProcessTag) {
    speaks = channel.low >> 32 == host.id;
  } else if (entry == nullptr) {
    speaks = root_.former.was(channel, host.id, root_.links.now());
  } else if (&host_of(*entry) == &host) {
    speaks = true;
  } else {
    const RootMove move = root_.move_of(*entry);
    speaks = move.source && move.source->process.host == host.id;
  }
  if (speaks) return true;
  ++root_.links.counters().dropped_replies;
  return false;
}

/// Of a channel that a process of this host owns. Nullopt while its table, or those of others in
/// grace, are not known.
std::optional<Epoch> MessageRoutes::held_epoch(const HostEntry& host,
                                               const ChannelId& channel) const {
  const Directory::Entry* const entry = root_.directory.find(channel);
  if (entry != nullptr && &host_of(*entry) == &host) return entry->epoch;
  if (!host.complete || (entry == nullptr && root_.grace)) return std::nullopt;
  return Epoch{};
}

// --- messages ------------------------------------------------------------------------------------

Result<> MessageRoutes::on_data(HostEntry& host, ByteView payload) {
  const auto run = decode_run(payload);
  if (!run) return run.error();
  if (run->origin.host != host.id) return foreign_origin();
  root_.forwarding.show_to_tap(*run);
  const Destination to = destination_from(host, run->channel);
  const auto nack = [&](NackReason reason) {
    root_.forwarding.nack(run->lane, run->origin, run->channel, run->seq, reason);
  };
  if (run->system) {  // its busd has stated the epochs of readers, unless it lies
    record_.assign(payload.begin(), payload.end());
    const auto held = [&](const ChannelId& channel) { return held_epoch(host, channel); };
    if (!lower_epochs(*run, payload, record_, held)) {
      nack(NackReason::overflow);
      return {};
    }
    payload = record_;
  }
  if (to.way == Way::forward) {
    root_.forwarding.forward_run(*to.host->session, *run, payload, host.session->source());
  } else if (to.way == Way::no_owner) {
    nack(NackReason::no_owner);
  } else if (!hold_.hold(run->channel, Kind::data, payload, root_.links.now())) {
    nack(NackReason::overflow);
  }
  return {};
}

Result<> MessageRoutes::on_probe(HostEntry& host, ByteView payload) {
  const auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (probe->origin.host != host.id) return foreign_origin();
  const Destination to = destination_from(host, probe->channel);
  const auto nack = [&](NackReason reason) {
    root_.forwarding.nack(probe->lane, probe->origin, probe->channel, probe->seq, reason);
  };
  if (to.way == Way::forward) {
    root_.forwarding.forward_probe(*to.host->session, *probe, host.session->source());
  } else if (to.way == Way::no_owner) {
    nack(NackReason::no_owner);
  } else if (!hold_.hold(probe->channel, Kind::probe, payload, root_.links.now())) {
    nack(NackReason::overflow);
  }
  return {};
}

/// What it is about may be held here, or on its way: it is not looked for.
Result<> MessageRoutes::on_withdraw(const HostEntry& host, ByteView payload) {
  const auto withdraw = decode<Withdraw>(payload);
  if (!withdraw) return withdraw.error();
  if (withdraw->origin.host != host.id) return foreign_origin();
  const Destination to = destination(withdraw->channel);
  if (to.way == Way::forward) root_.forwarding.forward_withdraw(*to.host->session, *withdraw);
  return {};
}

/// One copy per host, with the targets that live there.
Result<> MessageRoutes::on_multicast(HostEntry& host, ByteView payload) {
  const auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  if (multicast->origin.host != host.id) return foreign_origin();
  assert(multicast_hosts_.empty());
  ++root_.links.counters().multicasts_in;
  for (const Target& target : multicast->targets) {
    const Destination to = destination_from(host, target.channel);
    if (to.way == Way::forward) {
      if (to.host->part.empty()) multicast_hosts_.push_back(to.host);
      to.host->part.push_back(target);
    } else if (to.way == Way::hold) {
      hold_part(*multicast, target);
    } else {
      root_.forwarding.nack(multicast->lane, multicast->origin, target.channel, target.seq,
                            NackReason::no_owner);
    }
  }
  for (HostEntry* to : multicast_hosts_) {
    Multicast part{multicast->lane, multicast->origin, std::move(to->part), multicast->body};
    root_.forwarding.forward_multicast(*to->session, part, host.session->source());
    to->part = std::move(part.targets);  // for its capacity
    to->part.clear();
  }
  multicast_hosts_.clear();
  return {};
}

// --- held records --------------------------------------------------------------------------------

/// A target that must wait is held in the form that its owner gets: a run of one message.
void MessageRoutes::hold_part(const Multicast& multicast, const Target& target) {
  Bytes items;
  items.reserve(kItemHeader + multicast.body.size());
  Writer writer(items);
  writer.put(static_cast<std::uint32_t>(multicast.body.size()));
  writer.put(std::uint32_t{0});
  writer.bytes(multicast.body);
  const Run run{multicast.lane, 1,           multicast.origin, target.channel,
                target.lineage, target.prev, target.seq,       items};
  record_.clear();
  encode_run(run, record_);
  const ByteView payload = ByteView(record_).subspan(kRecordHeader);
  if (!hold_.hold(target.channel, Kind::data, payload, root_.links.now())) {
    root_.forwarding.nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
  }
}

void MessageRoutes::release_held(const ChannelId& channel) {
  hold_.release(channel, [&](Kind kind, ByteView payload) { return route_held(kind, payload); });
}

void MessageRoutes::release_all_held() {
  hold_.release_all([&](Kind kind, ByteView payload) { return route_held(kind, payload); });
}

void MessageRoutes::tick() {
  const Time now = root_.links.now();
  if (now - hold_checked_ < kHoldCheck) return;
  hold_checked_ = now;
  hold_.expire(now, [&](Kind kind, ByteView payload) {
    drop_held(kind, payload);
    return true;
  });
}

SourceQueues::Source MessageRoutes::source_of(const Process& origin) const {
  const auto host = root_.hosts.find(origin.host);
  const bool there = host != root_.hosts.end() && host->second->session != nullptr;
  return there ? host->second->session->source() : SourceQueues::Source(0);
}

/// False if it has to wait longer.
bool MessageRoutes::route_held(Kind kind, ByteView payload) {
  if (kind == Kind::data) {
    const Run run = view_run(payload);
    const Destination to = destination(run.channel);
    if (to.way == Way::hold) return false;
    if (to.way == Way::forward) {
      root_.forwarding.forward_run(*to.host->session, run, payload, source_of(run.origin));
    } else {
      root_.forwarding.nack(run.lane, run.origin, run.channel, run.seq, NackReason::no_owner);
    }
    return true;
  }
  const auto probe = decode<Probe>(payload);
  assert(kind == Kind::probe && probe);
  const Destination to = destination(probe->channel);
  if (to.way == Way::hold) return false;
  if (to.way == Way::forward) {
    root_.forwarding.forward_probe(*to.host->session, *probe, source_of(probe->origin));
  } else {
    root_.forwarding.nack(probe->lane, probe->origin, probe->channel, probe->seq,
                          NackReason::no_owner);
  }
  return true;
}

void MessageRoutes::drop_held(Kind kind, ByteView payload) {
  ++root_.links.counters().expired_records;
  if (kind == Kind::data) {
    const Run run = view_run(payload);
    root_.forwarding.nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
    return;
  }
  const auto probe = decode<Probe>(payload);
  assert(kind == Kind::probe && probe);
  root_.forwarding.nack(probe->lane, probe->origin, probe->channel, probe->seq,
                        NackReason::overflow);
}

}  // namespace starbus::bus
