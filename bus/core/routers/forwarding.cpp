#include "bus/core/routers/forwarding.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {

void FailureLog::add(Failure failure) {
  if (failures_.size() == kKept) failures_.pop_front();
  failures_.push_back(std::move(failure));
}

void Forwarding::forward_run(RouterLink& to, const Run& run, ByteView payload,
                             SourceQueues::Source source) {
  if (!to.queues.push(run.lane, source, Kind::data, payload, links_.now())) {
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
    return;
  }
  RouterCounters& counters = links_.counters();
  ++counters.runs_forwarded;
  counters.messages_forwarded += run.count;
  counters.bytes_forwarded += kRecordHeader + payload.size();
  to.delivered += run.count;
  links_.touch(to);
}

void Forwarding::forward_probe(RouterLink& to, const Probe& probe, SourceQueues::Source source) {
  scratch_.clear();
  encode(probe, scratch_);
  ++links_.counters().probes;
  if (!to.queues.push(probe.lane, source, scratch_, links_.now())) {
    nack(probe.lane, probe.origin, probe.channel, probe.seq, NackReason::overflow);
    return;
  }
  ++to.delivered;
  links_.touch(to);
}

void Forwarding::forward_withdraw(RouterLink& to, const Withdraw& withdraw) {
  if (to.minor >= kWithdrawMinor && has_room_for_trace(to)) links_.tell(to, withdraw);
}

void Forwarding::forward_multicast(RouterLink& to, const Multicast& part,
                                   SourceQueues::Source source) {
  assert(!part.targets.empty());
  scratch_.clear();
  encode_multicast(part, scratch_);
  if (!to.queues.push(part.lane, source, scratch_, links_.now())) {
    for (const Target& target : part.targets) {
      nack(part.lane, part.origin, target.channel, target.seq, NackReason::overflow);
    }
    return;
  }
  RouterCounters& counters = links_.counters();
  ++counters.multicast_copies_out;
  counters.messages_forwarded += part.targets.size();
  to.delivered += part.targets.size();
  counters.bytes_forwarded += scratch_.size();
  links_.touch(to);
}

void Forwarding::add_hop(HopTrace& trace, const std::string& here) const {
  trace.hops.push_back({here, static_cast<std::uint64_t>(links_.now().count()), 0});
}

void Forwarding::forward_trace(RouterLink& to, HopTrace& trace, const std::string& here,
                               SourceQueues::Source source) {
  assert(trace.end == TraceEnd::none);
  add_hop(trace, here);
  trace.hops.back().queued = to.queues.bytes(trace.lane);
  if (trace.hops.size() > kMaxTraceHops) {
    trace.end = TraceEnd::too_long;
  } else if (to.minor < kTraceMinor) {
    trace.end = TraceEnd::older_version;
  } else {
    scratch_.clear();
    encode(trace, scratch_);
    if (!to.queues.push(trace.lane, source, scratch_, links_.now())) {
      trace.end = TraceEnd::queue_full;
    }
    links_.touch(to);
  }
}

void Forwarding::nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                      NackReason reason) {
  if (reason == NackReason::overflow) ++links_.counters().nacks_overflow;
  if (reason == NackReason::no_owner) ++links_.counters().nacks_no_owner;
  send_nack(lane, origin, channel, seq, reason, name_of(reason));
}

void Forwarding::hold_back(Lane lane, const Process& origin, const ChannelId& channel,
                           std::uint64_t seq, std::string_view why) {
  send_nack(lane, origin, channel, seq, NackReason::overflow, why);
}

void Forwarding::send_nack(Lane lane, const Process& origin, const ChannelId& channel,
                           std::uint64_t seq, NackReason reason, std::string_view why) {
  note_failure(channel, origin, std::string(why));
  Nack reply;
  reply.lane = lane;
  reply.origin = origin;
  reply.channel = channel;
  reply.seq = seq;
  reply.reason = reason;
  route_reply(reply);
}

void Forwarding::nack_expired(ByteView record) {
  assert(record.size() >= kRecordHeader);
  ++links_.counters().expired_records;
  const auto kind = static_cast<Kind>(load<std::uint8_t>(record.data() + 4));
  const ByteView payload = record.subspan(kRecordHeader);
  if (kind == Kind::data) {
    const Run run = view_run(payload);
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
  } else if (kind == Kind::probe) {
    const auto probe = decode<Probe>(payload);
    if (probe) nack(probe->lane, probe->origin, probe->channel, probe->seq, NackReason::overflow);
  } else if (kind == Kind::multicast) {
    const auto multicast = decode_multicast(payload);
    if (!multicast) return;
    for (const Target& target : multicast->targets) {
      nack(multicast->lane, multicast->origin, target.channel, target.seq, NackReason::overflow);
    }
  }
}

void Forwarding::note_failure(const ChannelId& channel, const Process& origin, std::string reason) {
  failures_.add({links_.now(), channel, origin, std::move(reason)});
}

void Forwarding::set_tap(const ChannelId& channel, Tap tap) {
  if (tap) {
    taps_[channel] = std::move(tap);
  } else {
    taps_.erase(channel);
  }
}

void Forwarding::show_to_tap(const Run& run) {
  if (taps_.empty()) return;
  if (const auto found = taps_.find(run.channel); found != taps_.end()) found->second(run);
}

}  // namespace starbus::bus
