#include "bus/core/routers/host/message_path.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {

Result<> MessagePath::from_process(RouterLink& link, LocalProcess& process, Kind kind,
                                   ByteView payload) {
  assert(is_message_record(kind) && process.ready);
  switch (kind) {
    case Kind::data:
      return data_from_process(link, process, payload);
    case Kind::probe:
      return probe_from_process(link, process, payload);
    case Kind::withdraw:
      return withdraw_from_process(process, payload);
    case Kind::multicast:
      return multicast_from_process(link, process, payload);
    case Kind::ack:
      return reply_from_process<Ack>(link, process, payload);
    case Kind::posted:
      return reply_from_process<Posted>(link, process, payload);
    default:
      return reply_from_process<Nack>(link, process, payload);
  }
}

Result<> MessagePath::from_root(Kind kind, ByteView payload) {
  assert(is_message_record(kind) && uplink_.greeted());
  switch (kind) {
    case Kind::data:
      return data_from_root(payload);
    case Kind::probe:
      return probe_from_root(payload);
    case Kind::withdraw:
      return withdraw_from_root(payload);
    case Kind::multicast:
      return multicast_from_root(payload);
    case Kind::ack:
      return reply_from_root<Ack>(payload);
    case Kind::posted:
      return reply_from_root<Posted>(payload);
    default:
      return reply_from_root<Nack>(payload);
  }
}

RouterLink* MessagePath::route(const ChannelId& channel) {
  if (const LocalProcess* owner = host_.table.owner_of(channel)) {
    RouterLink* const link = sessions_.session_of(*owner);
    if (!link) ++host_.counters.without_session;
    return link;
  }
  RouterLink* const root = uplink_.link();
  if (!root) ++host_.counters.without_uplink;
  return root;
}

std::string_view MessagePath::why_no_way(bool passes, const ChannelId& channel) const {
  if (!passes) return "over_rate";
  return host_.table.owner_of(channel) ? "no_session" : "no_uplink";
}

// --- from processes ------------------------------------------------------------------------------

Result<> MessagePath::data_from_process(RouterLink& link, LocalProcess& process, ByteView payload) {
  auto run = decode_run(payload);
  if (!run) return run.error();
  if (!access_.is_open(process, run->channel, run->lane)) {
    return access_.deny(process, "send to a channel that it has not opened");
  }
  stamped_.assign(payload.begin(), payload.end());
  stamp_origin(stamped_.data() + kOriginOffset, process.id);
  run->origin = process.id;
  const bool passes = access_.within_rate(process, run->count, payload.size());
  if (run->system && !access_.may_say(process, *run)) {
    return access_.deny(process, "send this system message: see its bind and send");
  }
  if (!access_.may_post(process, *run)) {
    return access_.deny(process, "post to a name that it may not send to");
  }
  if (run->system && !access_.state_epochs(process, *run, payload, stamped_)) {
    process.choked = true;
    host_.forwarding.hold_back(run->lane, run->origin, run->channel, run->seq, "names_not_taken");
    return {};
  }
  RouterLink* const next = passes ? route(run->channel) : nullptr;
  if (!next) {
    process.choked |= passes;
    host_.forwarding.hold_back(run->lane, run->origin, run->channel, run->seq,
                               why_no_way(passes, run->channel));
    return {};
  }
  host_.forwarding.show_to_tap(*run);
  host_.forwarding.forward_run(*next, *run, stamped_, link.source());
  return {};
}

Result<> MessagePath::probe_from_process(RouterLink& link, LocalProcess& process,
                                         ByteView payload) {
  auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (!access_.is_open(process, probe->channel, probe->lane)) {
    return access_.deny(process, "probe a channel that it has not opened");
  }
  probe->origin = process.id;
  const bool passes = access_.within_rate(process, 1, payload.size());
  RouterLink* const next = passes ? route(probe->channel) : nullptr;
  if (!next) {
    process.choked |= passes;
    host_.forwarding.hold_back(probe->lane, probe->origin, probe->channel, probe->seq,
                               why_no_way(passes, probe->channel));
    return {};
  }
  host_.forwarding.forward_probe(*next, *probe, link.source());
  return {};
}

Result<> MessagePath::withdraw_from_process(LocalProcess& process, ByteView payload) {
  auto withdraw = decode<Withdraw>(payload);
  if (!withdraw) return withdraw.error();
  withdraw->origin = process.id;
  // The library may not have opened it in this session: no reason to end that.
  if (!access_.is_open(process, withdraw->channel, withdraw->lane)) return {};
  if (!access_.within_rate(process, 1, payload.size())) return {};
  if (RouterLink* const next = route(withdraw->channel)) {
    host_.forwarding.forward_withdraw(*next, *withdraw);
  }
  return {};
}

Result<> MessagePath::multicast_from_process(RouterLink& link, LocalProcess& process,
                                             ByteView payload) {
  auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  for (const Target& target : multicast->targets) {
    if (!access_.is_open(process, target.channel, multicast->lane)) {
      return access_.deny(process, "send to a channel that it has not opened");
    }
    if (!access_.may_post(process, target.channel, multicast->body)) {
      return access_.deny(process, "post to a name that it may not send to");
    }
  }
  ++host_.links.counters().multicasts_in;
  multicast->origin = process.id;
  const bool passes = access_.within_rate(process, multicast->targets.size(), payload.size());
  rest_.targets.clear();
  if (passes) {
    deliver_parts(*multicast, link.source());
  } else {
    rest_.targets = multicast->targets;
  }
  if (rest_.targets.empty()) return {};
  rest_.lane = multicast->lane;
  rest_.origin = multicast->origin;
  rest_.body = multicast->body;
  if (RouterLink* const root = uplink_.link(); passes && root) {
    host_.forwarding.forward_multicast(*root, rest_, link.source());
    return {};
  }
  process.choked |= passes;
  if (passes) host_.counters.without_uplink += rest_.targets.size();
  for (const Target& target : rest_.targets) {
    host_.forwarding.hold_back(rest_.lane, rest_.origin, target.channel, target.seq,
                               why_no_way(passes, target.channel));
  }
  return {};
}

/// One copy per process of this host; `rest_` takes the targets that are not here.
void MessagePath::deliver_parts(const Multicast& multicast, SourceQueues::Source source) {
  std::size_t used = 0;
  for (const Target& target : multicast.targets) {
    LocalProcess* owner = host_.table.owner_of(target.channel);
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
    assert(owner->part < used && parts_[owner->part].owner == owner);
    parts_[owner->part].multicast.targets.push_back(target);
  }
  for (std::size_t i = 0; i < used; ++i) {
    Part& part = parts_[i];
    part.owner->part = LocalProcess::kNoPart;
    part.multicast.lane = multicast.lane;
    part.multicast.origin = multicast.origin;
    part.multicast.body = multicast.body;
    if (RouterLink* const link = sessions_.session_of(*part.owner)) {
      host_.forwarding.forward_multicast(*link, part.multicast, source);
      continue;
    }
    host_.counters.without_session += part.multicast.targets.size();
    for (const Target& target : part.multicast.targets) {
      host_.forwarding.hold_back(multicast.lane, multicast.origin, target.channel, target.seq,
                                 "no_session");
    }
  }
}

bool MessagePath::speaks_for(const LocalProcess& process, const ChannelId& channel) const {
  const LocalProcess* const owner = host_.table.owner_of(channel);
  if (owner != nullptr) return owner == &process;
  const auto copy = process.moving.find(channel);
  return copy != process.moving.end() && copy->second.seen;
}

/// An honest owner answers each message once, or twice if it was sent twice. Replies may be lost.
bool MessagePath::may_reply(RouterLink& link, LocalProcess& process) {
  if (link.replied < 2 * link.delivered + kReplyCredit) {
    ++link.replied;
    return true;
  }
  if (!process.spare_replies.open(kSpareReplies, host_.links.now())) return false;
  process.spare_replies.take(1);
  return true;
}

template <class Reply>
Result<> MessagePath::reply_from_process(RouterLink& link, LocalProcess& process,
                                         ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if (!speaks_for(process, reply->channel)) {
    ++host_.counters.foreign_replies;
    return {};
  }
  if (!may_reply(link, process)) {
    ++host_.counters.over_rate;
    host_.table.count_over_rate(process);
    return {};
  }
  if constexpr (Reply::kKind != Kind::nack) ++host_.links.counters().acks;
  host_.forwarding.route_reply(*reply, link.source());
  return {};
}

// --- from busroot --------------------------------------------------------------------------------

/// A record for a name that is not here is dropped: its origin will probe, and by then busroot
/// knows better.
Result<> MessagePath::data_from_root(ByteView payload) {
  const auto run = decode_run(payload);
  if (!run) return run.error();
  if (!host_.table.owner_of(run->channel)) {
    ++host_.counters.not_local;
    return {};
  }
  RouterLink* const next = route(run->channel);
  if (!next) {
    host_.forwarding.hold_back(run->lane, run->origin, run->channel, run->seq, "no_session");
    return {};
  }
  host_.forwarding.show_to_tap(*run);
  host_.forwarding.forward_run(*next, *run, payload, uplink_.link()->source());
  return {};
}

Result<> MessagePath::probe_from_root(ByteView payload) {
  const auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (!host_.table.owner_of(probe->channel)) {
    ++host_.counters.not_local;
    return {};
  }
  if (RouterLink* const next = route(probe->channel)) {
    host_.forwarding.forward_probe(*next, *probe, uplink_.link()->source());
  } else {
    host_.forwarding.hold_back(probe->lane, probe->origin, probe->channel, probe->seq,
                               "no_session");
  }
  return {};
}

Result<> MessagePath::withdraw_from_root(ByteView payload) {
  const auto withdraw = decode<Withdraw>(payload);
  if (!withdraw) return withdraw.error();
  if (!host_.table.owner_of(withdraw->channel)) return {};
  if (RouterLink* const next = route(withdraw->channel)) {
    host_.forwarding.forward_withdraw(*next, *withdraw);
  }
  return {};
}

Result<> MessagePath::multicast_from_root(ByteView payload) {
  const auto multicast = decode_multicast(payload);
  if (!multicast) return multicast.error();
  ++host_.links.counters().multicasts_in;
  rest_.targets.clear();
  deliver_parts(*multicast, uplink_.link()->source());
  host_.counters.not_local += rest_.targets.size();
  return {};
}

template <class Reply>
Result<> MessagePath::reply_from_root(ByteView payload) {
  const auto reply = decode<Reply>(payload);
  if (!reply) return reply.error();
  if constexpr (Reply::kKind != Kind::nack) ++host_.links.counters().acks;
  if (reply->origin.host == host_.table.id()) {
    host_.forwarding.route_reply(*reply, uplink_.link()->source());
  } else {
    ++host_.links.counters().dropped_replies;
  }
  return {};
}

}  // namespace starbus::bus
