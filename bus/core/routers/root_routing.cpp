/// RootRouter: messages between hosts. The way of a run costs one look-up by channel id, and one
/// copy into the queue of the next link.
#include <cassert>

#include "bus/core/routers/root_router.hpp"

namespace starbus::bus {
namespace {

Error foreign_origin() {
  return {Errc::bad_bytes, "an origin of another host"};
}

}  // namespace

Result<> RootRouter::on_message(Host& host, Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::data:
      return on_data(host, payload);
    case Kind::probe:
      return on_probe(host, payload);
    case Kind::multicast:
      return on_multicast(host, payload);
    case Kind::ack:
      return on_reply<Ack>(host, payload);
    case Kind::posted:
      return on_reply<Posted>(host, payload);
    default: {
      const auto nack = decode<Nack>(payload);
      if (!nack) return nack.error();
      // Daemons answer for whom they cannot reach: overflow loses nothing.
      const bool harmless = nack->reason == NackReason::overflow;
      if (!harmless && !speaks_for(host, nack->channel)) return {};
      route_reply(*nack);
      return {};
    }
  }
}

template <class Reply>
Result<> RootRouter::on_reply(const Host& host, ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if (!speaks_for(host, reply->channel)) return {};
  ++counters_.acks;
  route_reply(*reply);
  return {};
}

/// Whether a reply about this channel may come from there: from the owner's host, or from that of a
/// frozen copy. Any other may vanish, as replies may; it is late, or a lie.
bool RootRouter::speaks_for(const Host& host, const ChannelId& channel) {
  const Directory::Entry* const entry = directory_.find(channel);
  if (entry == nullptr || &host_of(*entry) == &host) return true;
  const RootMove move = move_of(*entry);
  if (move.source && move.source->process.host == host.id) return true;
  ++counters_.dropped_replies;
  return false;
}

RootRouter::Destination RootRouter::destination(const ChannelId& channel) {
  Directory::Entry* const entry = directory_.find(channel);
  if (entry == nullptr) return {grace_ ? Way::hold : Way::nobody};
  if (entry->moving) return {Way::hold};
  Host& host = host_of(*entry);
  return {host.complete ? Way::forward : Way::hold, &host};
}

Result<> RootRouter::on_data(Host& host, ByteView payload) {
  const auto run = decode_run(payload);
  if (!run) return run.error();
  if (run->origin.host != host.id) return foreign_origin();
  show_to_tap(*run);
  const Destination to = destination(run->channel);
  if (to.way == Way::forward) {
    forward_payload(*to.host->session, *run, payload, host.link);
  } else if (to.way == Way::nobody) {
    nack(run->lane, run->origin, run->channel, run->seq, NackReason::no_owner);
  } else if (!hold_.hold(run->channel, Kind::data, payload, now())) {
    nack(run->lane, run->origin, run->channel, run->seq, NackReason::overflow);
  }
  return {};
}

Result<> RootRouter::on_probe(Host& host, ByteView payload) {
  const auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (probe->origin.host != host.id) return foreign_origin();
  const Destination to = destination(probe->channel);
  if (to.way == Way::forward) {
    forward_probe(*to.host->session, *probe, host.link);
  } else if (to.way == Way::nobody) {
    nack(probe->lane, probe->origin, probe->channel, probe->seq, NackReason::no_owner);
  } else if (!hold_.hold(probe->channel, Kind::probe, payload, now())) {
    nack(probe->lane, probe->origin, probe->channel, probe->seq, NackReason::overflow);
  }
  return {};
}

/// One copy per host, with the targets that live there.
Result<> RootRouter::on_multicast(Host& host, ByteView payload) {
  const auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  if (multicast->origin.host != host.id) return foreign_origin();
  ++counters_.multicasts_in;
  for (const Target& target : multicast->targets) {
    const Destination to = destination(target.channel);
    if (to.way == Way::forward) {
      if (to.host->part.empty()) multicast_hosts_.push_back(to.host);
      to.host->part.push_back(target);
    } else if (to.way == Way::hold) {
      hold_part(*multicast, target);
    } else {
      nack(multicast->lane, multicast->origin, target.channel, target.seq, NackReason::no_owner);
    }
  }
  for (Host* to : multicast_hosts_) {
    Multicast part{multicast->lane, multicast->origin, std::move(to->part), multicast->body};
    forward_multicast(*to->session, part, host.link);
    to->part = std::move(part.targets);  // for its capacity
    to->part.clear();
  }
  multicast_hosts_.clear();
  return {};
}

/// A target that must wait is held as what it is to its owner: a run of one message.
void RootRouter::hold_part(const Multicast& multicast, const Target& target) {
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
  if (!hold_.hold(target.channel, Kind::data, payload, now())) {
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
  }
}

void RootRouter::release_held(const ChannelId& channel) {
  hold_.release(channel, [&](Kind kind, ByteView payload) { return route_held(kind, payload); });
}

void RootRouter::release_all_held() {
  hold_.release_all([&](Kind kind, ByteView payload) { return route_held(kind, payload); });
}

/// False if it has to wait longer.
bool RootRouter::route_held(Kind kind, ByteView payload) {
  const auto source_of = [&](const Process& origin) {
    const Link* const link = link_towards(origin);
    return link == nullptr ? LinkId{0} : link->id;
  };
  if (kind == Kind::data) {
    const Run run = view_run(payload);
    const Destination to = destination(run.channel);
    if (to.way == Way::hold) return false;
    if (to.way == Way::forward) {
      forward_payload(*to.host->session, run, payload, source_of(run.origin));
    } else {
      nack(run.lane, run.origin, run.channel, run.seq, NackReason::no_owner);
    }
    return true;
  }
  const auto probe = decode<Probe>(payload);
  assert(kind == Kind::probe && probe);
  const Destination to = destination(probe->channel);
  if (to.way == Way::hold) return false;
  if (to.way == Way::forward) {
    forward_probe(*to.host->session, *probe, source_of(probe->origin));
  } else {
    nack(probe->lane, probe->origin, probe->channel, probe->seq, NackReason::no_owner);
  }
  return true;
}

void RootRouter::drop_held(Kind kind, ByteView payload) {
  ++counters_.expired_records;
  if (kind == Kind::data) {
    const Run run = view_run(payload);
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
    return;
  }
  const auto probe = decode<Probe>(payload);
  assert(kind == Kind::probe && probe);
  nack(probe->lane, probe->origin, probe->channel, probe->seq, NackReason::overflow);
}

}  // namespace starbus::bus
