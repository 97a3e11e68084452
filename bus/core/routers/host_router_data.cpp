// Messages and replies: local ones to their process, others up, nothing back up.
#include "bus/core/routers/host_router.hpp"
#include "bus/core/sabotage.hpp"

#include <utility>

namespace starbus::bus {

HostRouter::Link* HostRouter::session_of(const LocalProcess& process) {
  return process.ready ? find_link(process.link) : nullptr;
}

HostRouter::Link* HostRouter::route(const ChannelId& channel) {
  if (const LocalProcess* owner = table_.owner_of(channel)) {
    Link* link = session_of(*owner);
    if (!link) ++host_counters_.without_session;
    return link;
  }
  if (uplink_greeted()) return uplink_;
  ++host_counters_.without_uplink;
  return nullptr;
}

std::string_view HostRouter::why_no_way(bool passes, const ChannelId& channel) {
  if (!passes) return "over_rate";
  return table_.owner_of(channel) ? "no_session" : "no_uplink";
}

bool HostRouter::within_rate(LocalProcess& process, std::uint64_t messages, std::uint64_t bytes) {
  const Role& role = *process.role;
  if (!process.messages.open(role.messages_per_second, now()) ||
      !process.bytes.open(role.bytes_per_second, now())) {
    ++host_counters_.over_rate;
    return false;
  }
  process.messages.take(messages);
  process.bytes.take(bytes);
  return true;
}

Result<> HostRouter::check_opened(const LocalProcess& process, const ChannelId& channel,
                                  Lane lane) {
  if (channel.high == kProcessTag || !process.role->restricted()) return {};
  if (process.opened[static_cast<std::size_t>(lane)].contains(channel)) return {};
  return Error{Errc::denied};
}

Result<> HostRouter::data_from_process(Link& link, LocalProcess& process, ByteView payload) {
  auto run = decode_run(payload);
  if (!run) return run.error();
  if (!check_opened(process, run->channel, run->lane)) {
    return deny(process, "send to what it has not opened");
  }
  stamped_.assign(payload.begin(), payload.end());
  stamp_origin(stamped_.data() + kOriginOffset, process.id);
  run->origin = process.id;
  const bool passes = within_rate(process, run->count, payload.size());
  if (run->system && !may_say(process, *run)) {
    return deny(process, "say that to the library of another process: see its bind and send");
  }
  if (!may_post(process, *run)) return deny(process, "post to what it may not send to");
  Link* const next = passes ? route(run->channel) : nullptr;
  if (!next) {
    process.choked |= passes;
    hold_back(run->lane, run->origin, run->channel, run->seq, why_no_way(passes, run->channel));
    return {};
  }
  show_to_tap(*run);
  forward_payload(*next, *run, stamped_, link.id);
  return {};
}

Result<> HostRouter::probe_from_process(Link& link, LocalProcess& process, ByteView payload) {
  auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (!check_opened(process, probe->channel, probe->lane)) {
    return deny(process, "probe what it has not opened");
  }
  probe->origin = process.id;
  const bool passes = within_rate(process, 1, payload.size());
  Link* const next = passes ? route(probe->channel) : nullptr;
  if (!next) {
    process.choked |= passes;
    hold_back(probe->lane, probe->origin, probe->channel, probe->seq,
              why_no_way(passes, probe->channel));
    return {};
  }
  forward_probe(*next, *probe, link.id);
  return {};
}

Result<> HostRouter::multicast_from_process(Link& link, LocalProcess& process, ByteView payload) {
  auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  for (const Target& target : multicast->targets) {
    if (!check_opened(process, target.channel, multicast->lane)) {
      return deny(process, "send to what it has not opened");
    }
    if (checks_posts(process, target.channel) && !may_post(process, multicast->body)) {
      return deny(process, "post to what it may not send to");
    }
  }
  ++counters_.multicasts_in;
  multicast->origin = process.id;
  const bool passes = within_rate(process, multicast->targets.size(), payload.size());
  rest_.targets.clear();
  if (passes) {
    deliver_parts(*multicast, link.id);
  } else {
    rest_.targets = multicast->targets;
  }
  if (rest_.targets.empty()) return {};
  rest_.lane = multicast->lane;
  rest_.origin = multicast->origin;
  rest_.body = multicast->body;
  if (passes && uplink_greeted()) {
    forward_multicast(*uplink_, rest_, link.id);
    return {};
  }
  process.choked |= passes;
  if (passes) host_counters_.without_uplink += rest_.targets.size();
  for (const Target& target : rest_.targets) {
    hold_back(rest_.lane, rest_.origin, target.channel, target.seq,
              why_no_way(passes, target.channel));
  }
  return {};
}

/// After a way was cut: who was told to hold back need not wait for its back-off.
void HostRouter::tell_room() {
  table_.for_each_process([&](LocalProcess& process) {
    Link* const link = process.choked ? session_of(process) : nullptr;
    if (link == nullptr || link->minor < kRoomMinor) return;
    process.choked = false;
    tell(*link, Room{});
  });
}

/// One copy per process of this host; `rest_` takes the targets that are not here.
void HostRouter::deliver_parts(const Multicast& multicast, LinkId source) {
  std::size_t used = 0;
  for (const Target& target : multicast.targets) {
    LocalProcess* owner = table_.owner_of(target.channel);
    if (!owner) {
      rest_.targets.push_back(target);
      continue;
    }
    if (owner->part == LocalProcess::kNoPart) {
      owner->part = used++;
      if (parts_.size() < used) parts_.emplace_back();
      Part& fresh = parts_[owner->part];
      fresh.owner = owner;
      fresh.multicast.targets.clear();
    }
    parts_[owner->part].multicast.targets.push_back(target);
  }
  for (std::size_t i = 0; i < used; ++i) {
    Part& part = parts_[i];
    part.owner->part = LocalProcess::kNoPart;
    part.multicast.lane = multicast.lane;
    part.multicast.origin = multicast.origin;
    part.multicast.body = multicast.body;
    if (Link* link = session_of(*part.owner)) {
      forward_multicast(*link, part.multicast, source);
      continue;
    }
    host_counters_.without_session += part.multicast.targets.size();
    for (const Target& target : part.multicast.targets) {
      hold_back(multicast.lane, multicast.origin, target.channel, target.seq, "no_session");
    }
  }
}

/// What busroot believes to be here and is not, its origin will probe for: busroot knows better
/// then.
Result<> HostRouter::data_from_root(ByteView payload) {
  const auto run = decode_run(payload);
  if (!run) return run.error();
  if (!table_.owner_of(run->channel)) {
    ++host_counters_.not_local;
    return {};
  }
  Link* next = route(run->channel);
  if (!next) {
    hold_back(run->lane, run->origin, run->channel, run->seq, "no_session");
    return {};
  }
  show_to_tap(*run);
  forward_payload(*next, *run, payload, uplink_->id);
  if (sabotaged(Sabotage::ack_before_handler)) {
    route_reply(Ack{run->lane, run->origin, run->channel, run->lineage, run->seq});
  }
  return {};
}

Result<> HostRouter::probe_from_root(ByteView payload) {
  const auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (!table_.owner_of(probe->channel)) {
    ++host_counters_.not_local;
    return {};
  }
  if (Link* next = route(probe->channel)) {
    forward_probe(*next, *probe, uplink_->id);
  } else {
    hold_back(probe->lane, probe->origin, probe->channel, probe->seq, "no_session");
  }
  return {};
}

Result<> HostRouter::multicast_from_root(ByteView payload) {
  const auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  ++counters_.multicasts_in;
  rest_.targets.clear();
  deliver_parts(*multicast, uplink_->id);
  host_counters_.not_local += rest_.targets.size();
  return {};
}

/// Its owner, or who holds a copy of it while nobody else here owns it. A copy's late reply beside
/// the new owner may vanish, as replies may.
bool HostRouter::speaks_for(const LocalProcess& process, const ChannelId& channel) {
  const LocalProcess* const owner = table_.owner_of(channel);
  return owner == &process || (owner == nullptr && process.moving.contains(channel));
}

template <class Reply>
Result<> HostRouter::reply_from_process(const LocalProcess& process, ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if (!speaks_for(process, reply->channel)) {
    ++host_counters_.foreign_replies;
    return {};
  }
  if constexpr (Reply::kKind != Kind::nack) ++counters_.acks;
  route_reply(*reply);
  return {};
}

template <class Reply>
Result<> HostRouter::reply_from_root(ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if constexpr (Reply::kKind != Kind::nack) ++counters_.acks;
  if (reply->origin.host == table_.id()) {
    route_reply(*reply);
  } else {
    ++counters_.dropped_replies;
  }
  return {};
}

template Result<> HostRouter::reply_from_process<Ack>(const LocalProcess&, ByteView);
template Result<> HostRouter::reply_from_process<Posted>(const LocalProcess&, ByteView);
template Result<> HostRouter::reply_from_process<Nack>(const LocalProcess&, ByteView);
template Result<> HostRouter::reply_from_root<Ack>(ByteView);
template Result<> HostRouter::reply_from_root<Posted>(ByteView);
template Result<> HostRouter::reply_from_root<Nack>(ByteView);

}  // namespace starbus::bus
