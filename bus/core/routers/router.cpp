#include "bus/core/routers/router.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {

void FailureLog::add(Failure failure) {
  if (failures_.size() == kKept) failures_.pop_front();
  failures_.push_back(std::move(failure));
}

/// Hands the records of one link to the router, until the link ends.
struct Router::Dispatcher : RecordHandler {
  Router& router;
  Link& link;
  Dispatcher(Router& r, Link& l) : router(r), link(l) {}
  Result<> on_record(Kind kind, ByteView payload) override {
    if (!router.find_link(link.id)) return Error{Errc::closed};  // ended by an earlier record
    if (link.overloaded) return Error{Errc::overloaded, "control queue full"};
    return router.on_record(link, kind, payload);
  }
};

void Router::link_opened(LinkId id, PeerFacts peer, Time now) {
  now_ = std::max(now_, now);
  auto link = std::make_unique<Link>(now_);
  link->id = id;
  link->opened = now_;
  link->name = peer.address;
  link->peer = std::move(peer);
  if (strangers() >= kMaxStrangers) {
    // The oldest gives way: who is honest says hello at once, and must get in among those who do
    // not.
    Link* oldest = nullptr;
    for (auto& [other, present] : links_) {
      if (present->greeted) continue;
      if (oldest == nullptr || present->opened < oldest->opened ||
          (present->opened == oldest->opened && other < oldest->id)) {
        oldest = present.get();
      }
    }
    ++counters_.sessions_refused;
    end_link(*oldest, {Errc::overloaded, "too many links whose peers have not said who they are"});
  }
  link->queues.count_into(queued_total_);
  links_.emplace(id, std::move(link));
  ++counters_.sessions_opened;
}

std::size_t Router::strangers() const {
  // Counted only where it can matter: few links are in this state for long.
  if (links_.size() < kMaxStrangers) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(links_, [](const auto& item) { return !item.second->greeted; }));
}

void Router::link_closed(LinkId id, const Error& reason, Time now) {
  now_ = std::max(now_, now);
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  std::unique_ptr<Link> link = std::move(found->second);
  links_.erase(found);
  ++counters_.sessions_ended;
  if (reason == Errc::bad_bytes) ++counters_.hostile_bytes;  // not even a bundle: the link saw it
  on_link_gone(*link, reason);
  ended_.push_back(std::move(link));
}

void Router::on_bundle(LinkId id, ByteView bundle, Time now) {
  now_ = std::max(now_, now);
  Link* link = find_link(id);
  if (!link) return;
  Dispatcher dispatcher(*this, *link);
  if (link->greeted) link->session.trust();
  const auto result = link->session.receive(bundle, now_, dispatcher);
  if (!find_link(id)) return;
  if (!result) {
    if (result.error() == Errc::bad_bytes) ++counters_.hostile_bytes;
    end_link(*link, result.error());
    return;
  }
  touch(*link);  // a report of consumed bytes may be due
  if (link->session.incomplete_bytes() > kStrangerRecord) check_incomplete();
}

/// Of unfinished records all links may hold so much together; of the program that holds the most,
/// on however many links, the largest gives way. A busd's link with busroot, by which all others
/// hear, does not count.
void Router::check_incomplete() {
  std::size_t total = 0;
  for (const auto& [id, link] : links_) {
    if (!link->uplink) total += link->session.incomplete_bytes();
  }
  if (total <= kIncomplete) return;
  const auto program_of = [](const Link& link) {
    return link.peer.pid != 0 ? link.peer.pid : -static_cast<std::int64_t>(link.id);
  };
  boost::unordered_flat_map<std::int64_t, std::size_t> by_program;
  for (const auto& [id, link] : links_) {
    if (!link->uplink) by_program[program_of(*link)] += link->session.incomplete_bytes();
  }
  Link* largest = nullptr;
  const auto weight = [&](const Link& link) {
    return std::pair(by_program[program_of(link)], link.session.incomplete_bytes());
  };
  for (auto& [id, link] : links_) {
    if (link->uplink) continue;
    if (!largest || weight(*link) > weight(*largest)) largest = link.get();
  }
  end_link(*largest, {Errc::overloaded, "unfinished records of " +
                                            std::to_string(largest->session.incomplete_bytes()) +
                                            " bytes, and no room for more"});
}

void Router::tick(Time now) {
  now_ = std::max(now_, now);
  std::vector<LinkId> silent;
  const std::uint64_t lease = lease_age();
  for (auto& [id, link] : links_) {
    link->session.tick(now_, lease);
    link->queues.expire(now_, [&](ByteView record) {
      ++counters_.expired_records;
      nack_dropped(record);
    });
    touch(*link);
    // A peer that speaks and does not say who it is, is silent too.
    const bool stranger = !link->greeted && now_ - link->opened > from_ms(kLinkTimeout);
    const bool stuck = link->session.incomplete_for(now_) > from_ms(kQueueAge);
    if (stranger || stuck || link->session.silence(now_) > from_ms(kLinkTimeout)) {
      silent.push_back(id);
    }
  }
  for (const LinkId id : silent) {
    if (Link* link = find_link(id))
      end_link(*link, {Errc::silent, "nothing, no hello, or no more of a record, for 10 s"});
  }
}

void Router::flush() {
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    Link* link = find_link(dirty_[i]);
    if (!link) continue;
    link->dirty = false;
    if (link->overloaded) {
      end_link(*link, {Errc::overloaded, "control queue full"});
    } else {
      pump(*link);
    }
  }
  dirty_.clear();
  ended_.clear();
}

void Router::pump(Link& link) {
  link.session.send_bundles(
      link, [&] { return shell_.take_buffer(link.id); },
      [&](Bytes bundle) { shell_.send(link.id, std::move(bundle)); });
}

std::vector<LinkStatus> Router::link_status() const {
  std::vector<LinkStatus> all;
  all.reserve(links_.size());
  for (const auto& [id, link] : links_) {
    LinkStatus& status = all.emplace_back();
    status.id = id;
    status.peer = link->name;
    status.address = link->peer.address;
    status.greeted = link->greeted;
    status.round_trip = link->session.round_trip();
    status.silence = link->session.silence(now_);
    status.in_flight = link->session.in_flight();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      status.queued[lane] = link->queues.bytes(static_cast<Lane>(lane));
    }
    status.session = link->session.counters();
  }
  std::ranges::sort(all, {}, &LinkStatus::id);
  return all;
}

void Router::set_tap(const ChannelId& channel, Tap tap) {
  if (tap) {
    taps_[channel] = std::move(tap);
  } else {
    taps_.erase(channel);
  }
}

void Router::show_to_tap(const Run& run) {
  if (taps_.empty()) return;
  if (const auto found = taps_.find(run.channel); found != taps_.end()) found->second(run);
}

Router::Link* Router::find_link(LinkId id) {
  const auto found = links_.find(id);
  return found == links_.end() ? nullptr : found->second.get();
}

void Router::end_link(Link& link, const Error& reason) {
  const auto found = links_.find(link.id);
  if (found == links_.end()) return;
  std::unique_ptr<Link> owned = std::move(found->second);
  links_.erase(found);
  ++counters_.sessions_ended;
  // A session without an id has not heard its peer's first bundle: nothing can be said in it.
  if (owned->session.id() != 0) {
    owned->queues.clear();
    owned->session.say(Reset{reason.code, reason.detail});
    pump(*owned);
  }
  shell_.close(owned->id);
  on_link_gone(*owned, reason);
  ended_.push_back(std::move(owned));
}

void Router::tell_encoded(Link& to, ByteView record, SourceQueues::Source source) {
  if (!to.queues.push(Lane::control, source, record, now_)) {
    to.overloaded = true;
  }
  touch(to);
}

void Router::forward_run(Link& to, const Run& run, ByteView record, LinkId source) {
  if (!to.queues.push(run.lane, source, record, now_)) {
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
    return;
  }
  count_forwarded(to, run, record.size());
}

void Router::forward_payload(Link& to, const Run& run, ByteView payload, LinkId source) {
  if (!to.queues.push(run.lane, source, Kind::data, payload, now_)) {
    nack(run.lane, run.origin, run.channel, run.seq, NackReason::overflow);
    return;
  }
  count_forwarded(to, run, kRecordHeader + payload.size());
}

void Router::count_forwarded(Link& to, const Run& run, std::size_t size) {
  ++counters_.runs_forwarded;
  counters_.messages_forwarded += run.count;
  counters_.bytes_forwarded += size;
  touch(to);
}

void Router::forward_probe(Link& to, const Probe& probe, LinkId source) {
  Bytes record;
  encode(probe, record);
  ++counters_.probes;
  if (!to.queues.push(probe.lane, source, record, now_)) {
    nack(probe.lane, probe.origin, probe.channel, probe.seq, NackReason::overflow);
    return;
  }
  touch(to);
}

void Router::forward_multicast(Link& to, const Multicast& part, LinkId source) {
  scratch_.clear();
  encode_multicast(part, scratch_);
  if (!to.queues.push(part.lane, source, scratch_, now_)) {
    for (const Target& target : part.targets) {
      nack(part.lane, part.origin, target.channel, target.seq, NackReason::overflow);
    }
    return;
  }
  ++counters_.multicast_copies_out;
  counters_.messages_forwarded += part.targets.size();
  counters_.bytes_forwarded += scratch_.size();
  touch(to);
}

void Router::add_hop(HopTrace& trace, const std::string& here) const {
  trace.hops.push_back({here, static_cast<std::uint64_t>(now_.count()), 0});
}

void Router::forward_trace(Link& to, HopTrace& trace, const std::string& here, LinkId source) {
  add_hop(trace, here);
  trace.hops.back().queued = to.queues.bytes(trace.lane);
  if (trace.hops.size() > kMaxTraceHops) {
    trace.end = TraceEnd::too_long;
  } else if (to.minor < kTraceMinor) {
    trace.end = TraceEnd::older_version;
  } else {
    scratch_.clear();
    encode(trace, scratch_);
    if (!to.queues.push(trace.lane, source, scratch_, now_)) trace.end = TraceEnd::queue_full;
    touch(to);
  }
}

void Router::nack(Lane lane, const Process& origin, const ChannelId& channel, std::uint64_t seq,
                  NackReason reason) {
  if (reason == NackReason::overflow) ++counters_.nacks_overflow;
  if (reason == NackReason::no_owner) ++counters_.nacks_no_owner;
  send_nack(lane, origin, channel, seq, reason, name_of(reason));
}

void Router::hold_back(Lane lane, const Process& origin, const ChannelId& channel,
                       std::uint64_t seq, std::string_view why) {
  send_nack(lane, origin, channel, seq, NackReason::overflow, why);
}

void Router::send_nack(Lane lane, const Process& origin, const ChannelId& channel,
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

void Router::nack_dropped(ByteView record) {
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

void Router::note_failure(const ChannelId& channel, const Process& origin, std::string reason) {
  failures_.add({now_, channel, origin, std::move(reason)});
}

void Router::touch(Link& link) {
  if (link.dirty) return;
  link.dirty = true;
  dirty_.push_back(link.id);
}

}  // namespace starbus::bus
