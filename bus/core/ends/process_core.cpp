#include "bus/core/ends/process_core.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {
namespace {

constexpr std::size_t kRowsPerTable = 256;  // small enough to interleave with other records
constexpr Time kVitalsPause = std::chrono::seconds(1);

}  // namespace

ProcessCore::ProcessCore(ProcessConfig config, ProcessEvents& events, Time now)
    : config_(std::move(config)),
      events_(events),
      now_(now),
      origin_(*this),
      owner_(
          [this](BindingId id, const Delivery& delivery) {
            if (delivery.system) {
              on_system(delivery);
            } else {
              events_.on_delivery(id, delivery);
            }
          },
          [this](ByteView record) { say_encoded(record); }),
      durable_(events, [this](ByteView record) { say_encoded(record); }) {
  set_now(now);
}

void ProcessCore::set_now(Time now) {
  now_ = std::max(now_, now);
  origin_.set_now(now_);
  owner_.set_now(now_);
}

// --- session -------------------------------------------------------------------------------------

void ProcessCore::connected(std::uint64_t session_id, Time now) {
  assert(session_id != 0);
  set_now(now);
  if (lease_ended()) fence();
  link_lost();
  session_began_ = now_;
  session_.emplace(session_id, now_);
  Hello hello;
  hello.minor = config_.minor;
  hello.party = PartyKind::process;
  hello.name = config_.node;
  hello.role = config_.role;
  hello.incarnation = config_.incarnation;
  hello.software = config_.software;
  hello.attempt = ++attempts_;
  session_->say(hello);
  say_table();
}

void ProcessCore::say_table() {
  Table table;
  table.process = self_;
  for (const auto& [id, binding] : bindings_) {
    RowState state = RowState::active;
    if (binding->phase == Phase::frozen) {
      state = RowState::frozen;
    } else if (binding->phase == Phase::attaching) {
      state = RowState::attaching;
    } else if (binding->phase != Phase::active) {
      continue;
    }
    table.rows.push_back(
        {binding->name.text(), binding->epoch, binding->lineage, state, ticket_of(*binding)});
    if (table.rows.size() == kRowsPerTable) {
      say(table);
      table.rows.clear();
    }
  }
  if (!table.rows.empty()) say(table);
  say(TableEnd{});
}

void ProcessCore::link_lost() {
  session_.reset();
  overloaded_ = false;
  greeted_ = false;
  vitals_ = {};
  control_.clear();
}

Result<> ProcessCore::on_bundle(ByteView bundle, Time now) {
  set_now(now);
  if (!session_) return Error{Errc::closed};
  // Before anything is handled: after a pause this may be the first that we hear.
  if (lease_ended()) {
    fence();
    return Error{Errc::lease_lost, "cut off from busroot for the length of the lease"};
  }
  auto result = session_->receive(bundle, now_, *this);
  if (lease_base_ != Time{} && session_) {
    lease_base_ = std::max(lease_base_, session_->lease_base());
  }
  advance_moves();
  return result;
}

void ProcessCore::tick(Time now) {
  set_now(now);
  if (lease_ended()) fence();
  origin_.tick(now_);
  owner_.sweep();
  advance_moves();
  if (overloaded_) link_lost();
  if (!session_) return;
  session_->tick(now_);
  if (greeted_) ask_again();
  if (greeted_ && now_ - vitals_at_ >= kVitalsPause) tell_vitals();
}

/// In changes only: most processes are quiet most of the time.
void ProcessCore::tell_vitals() {
  vitals_at_ = now_;
  if (minor_ < kVitalsMinor) return;
  const OriginCounters& counters = origin_.counters();
  Vitals vitals;
  vitals.sent = counters.transmitted - std::exchange(transmitted_, counters.transmitted);
  vitals.resent = counters.resends - std::exchange(resends_, counters.resends);
  vitals.window_bytes = origin_.unacknowledged_bytes();
  const Origin::Stuck stuck = origin_.stuck(kVitalsPause);
  vitals.stuck = stuck.channel;
  vitals.stuck_bytes = stuck.bytes;
  vitals.moves = static_cast<std::uint32_t>(moving_.size());
  Time oldest{};
  for (const ChannelId& channel : moving_) {
    const Binding& binding = *find(channel);
    if (now_ - binding.move->since <= oldest) continue;
    oldest = now_ - binding.move->since;
    vitals.oldest_move = binding.name.text();
  }
  vitals.oldest_move_ms = static_cast<std::uint32_t>(oldest / std::chrono::milliseconds(1));
  if (vitals == vitals_) return;
  say(vitals);
  vitals_ = std::move(vitals);
}

void ProcessCore::pump(const Session::Take& take, const Session::Emit& emit) {
  owner_.flush_acks();
  durable_.flush();
  // Bye comes behind the acknowledgements: what was handled must not end as owner_lost.
  if (std::exchange(bye_due_, false)) say(Bye{});
  if (session_) session_->pump(*this, take, emit);
}

bool ProcessCore::ready(Lane lane) const {
  if (lane == Lane::control) return !control_.empty();
  return greeted_ && origin_.ready(lane);
}

Pulled ProcessCore::pull(Lane lane, std::size_t budget, Bytes& out) {
  if (lane != Lane::control) return origin_.pull(lane, budget, out);
  std::size_t pulled = 0;
  while (!control_.empty() && pulled < budget) {
    const std::size_t size = sizeof(std::uint32_t) + load<std::uint32_t>(control_.data());
    const bool large = size > kChunk;
    if (large && pulled != 0) break;
    out.insert(out.end(), control_.data(), control_.data() + size);
    control_.pop(size);
    pulled += size;
    if (large) return {pulled, true};
  }
  return {pulled, false};
}

void ProcessCore::say_encoded(ByteView record) {
  // Without a session a record may vanish: requests are repeated, watches are said anew in the next
  // session, and who misses an ACK sends a PROBE. So beyond the bound the session ends.
  if (!session_ || overloaded_) return;
  overloaded_ = control_.size() + record.size() > kControlQueue;
  if (!overloaded_) control_.push(record.data(), record.size());
}

// --- what busd says ------------------------------------------------------------------------------

Result<> ProcessCore::on_record(Kind kind, ByteView payload) {
  if (kind == Kind::welcome || kind == Kind::reset) return on_control(kind, payload);
  if (!greeted_) return Error{Errc::bad_bytes, "no welcome"};
  switch (kind) {
    case Kind::data: {
      const auto run = decode_run(payload);
      if (!run) return run.error();
      if (durable_.active(run->channel)) {
        durable_.on_run(*run);
      } else {
        owner_.on_run(*run);
      }
      return {};
    }
    case Kind::ack: {
      const auto ack = decode<Ack>(payload);
      if (!ack) return ack.error();
      if (ack->origin == self_) origin_.on_ack(*ack);
      return {};
    }
    case Kind::posted: {
      const auto posted = decode<Posted>(payload);
      if (!posted) return posted.error();
      if (posted->origin == self_) origin_.on_posted(*posted);
      return {};
    }
    case Kind::nack: {
      const auto nack = decode<Nack>(payload);
      if (!nack) return nack.error();
      if (nack->origin == self_) origin_.on_nack(*nack);
      return {};
    }
    case Kind::probe: {
      const auto probe = decode<Probe>(payload);
      if (!probe) return probe.error();
      if (durable_.active(probe->channel)) {
        durable_.on_probe(*probe);
      } else {
        owner_.on_probe(*probe);
      }
      return {};
    }
    case Kind::multicast: {
      const auto multicast = decode_multicast(payload);
      if (!multicast) return multicast.error();
      owner_.on_multicast(*multicast);
      return {};
    }
    case Kind::trace:
      return on_trace(payload);
    case Kind::room:
      if (minor_ < kRoomMinor || !payload.empty()) break;
      origin_.on_room();
      return {};
    default:
      break;
  }
  return on_control(kind, payload);
}

/// In turn with the messages of its lane, but no handler sees it.
Result<> ProcessCore::on_trace(ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (minor_ < kTraceMinor) return Error{Errc::bad_bytes, "a trace in a session of 1.0"};
  const Binding* const binding = find(trace->channel);
  if (!binding) {
    trace->end = TraceEnd::not_bound;
  } else {
    trace->end = binding->phase == Phase::frozen ? TraceEnd::frozen : TraceEnd::owner;
  }
  trace->hops.push_back(
      {host_ + "." + config_.node, static_cast<std::uint64_t>(now_.count()), control_.size()});
  say(*trace);
  return {};
}

namespace {
/// Decodes and hands on; failures of either pass through.
template <class Record, class Handler>
Result<> decoded(ByteView payload, Handler&& handler) {
  auto record = decode<Record>(payload);
  if (!record) return record.error();
  if constexpr (std::is_void_v<decltype(handler(std::move(*record)))>) {
    handler(std::move(*record));
    return {};
  } else {
    return handler(std::move(*record));
  }
}
}  // namespace

Result<> ProcessCore::on_control(Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::welcome:
      return decoded<Welcome>(payload, [&](Welcome welcome) { return on_welcome(welcome); });
    case Kind::reset:
      return decoded<Reset>(payload, [](Reset reset) -> Result<> {
        return Error{reset.reason, std::move(reset.detail)};
      });
    case Kind::attached:
      return decoded<Attached>(payload, [&](const Attached& record) { on_attached(record); });
    case Kind::refused:
      return decoded<Refused>(payload, [&](const Refused& record) { on_refused(record); });
    case Kind::active_ok:
      return decoded<ActiveOk>(payload, [&](const ActiveOk& record) { on_active_ok(record); });
    case Kind::unbound:
      return decoded<Unbound>(payload, [&](const Unbound& record) { on_unbound(record); });
    case Kind::freed_ok:
      return decoded<FreedOk>(payload, [&](const FreedOk& record) { on_freed_ok(record); });
    case Kind::move_ok:
      return decoded<MoveOk>(payload, [&](const MoveOk& record) { on_move_ok(record); });
    case Kind::no_move:
      return decoded<NoMove>(payload, [&](const NoMove& record) { on_no_move(record); });
    case Kind::reclaimed:
      return decoded<Reclaimed>(payload, [&](const Reclaimed& record) { on_reclaimed(record); });
    case Kind::moved:
      return decoded<Moved>(payload, [&](const Moved& record) { on_moved(record); });
    case Kind::watch_rows:
      return decoded<WatchRows>(payload,
                                [&](WatchRows rows) { return on_watch_rows(std::move(rows)); });
    case Kind::watch_refused:
      return decoded<WatchRefused>(payload, [&](const WatchRefused& refused) {
        if (watches_.erase(refused.prefix) != 0) {
          events_.on_watch_refused(refused.prefix, {refused.reason, refused.detail});
        }
      });
    default:
      return Error{Errc::bad_bytes, "unexpected record " + std::string(name_of(kind))};
  }
}

Result<> ProcessCore::on_welcome(const Welcome& welcome) {
  if (greeted_) return Error{Errc::bad_bytes, "second welcome"};
  const bool known = self_ != Process{};
  if (welcome.you.incarnation != config_.incarnation || (known && welcome.you != self_)) {
    return Error{Errc::bad_bytes, "welcome for somebody else"};
  }
  self_ = welcome.you;
  minor_ = std::min(welcome.minor, config_.minor);
  host_ = welcome.host;
  bind_prefixes_ = welcome.bind_prefixes;
  send_prefixes_ = welcome.send_prefixes;
  max_names_ = welcome.max_names;
  if (welcome.lease_ms != 0) {
    const Time lease = from_ms(welcome.lease_ms);
    lease_ = lease - std::min(from_ms(kLeaseMargin), lease / 4);
  }
  restricted_ = !matches_any(send_prefixes_, "");
  if (restricted_ && ever_greeted_) {
    origin_.restrict([this](const ChannelId& id) { return events_.name_of_channel(id); },
                     [this](std::string_view name) {
                       return matches_any(send_prefixes_, name) || name.starts_with("process/");
                     });
  }
  const bool first = !std::exchange(ever_greeted_, true);
  if (!known) {
    auto own = Name::of(process_channel_name(host_, config_.node));
    if (!own) return own.error();
    process_binding_ = add_binding(std::move(*own), false, {});
  }
  greeted_ = true;
  for (const auto& [prefix, rows] : watches_) say(Watch{prefix});
  for (const auto& channel : unanswered_) {
    find(channel)->repeated = true;  // it may have been asked in the session before
    ask(*find(channel));
  }
  for (auto& [key, freeing] : freeing_) freeing.asked = Time{};
  origin_.on_session();
  events_.on_welcome(first);
  return {};
}

// --- the lease -----------------------------------------------------------------------------------

bool ProcessCore::lease_ended() const {
  return lease_base_ != Time{} && now_ - lease_base_ > lease_;
}

/// Somebody else may own our names by now, and those who knew us may have heard that we are dead.
void ProcessCore::fence() {
  lease_base_ = {};
  link_lost();
  ++config_.incarnation;
  self_ = {};
  process_binding_ = 0;
  states_.clear();
  freeing_.clear();
  end_bindings(Errc::lease_lost);
  origin_.fail_all(Errc::lease_lost);
  events_.on_lease_lost();
}

/// Every binding ends, without an event of its own; so does what waits in their outboxes.
void ProcessCore::end_bindings(Errc reason) {
  std::vector<std::unique_ptr<Binding>> ended;
  for (auto& [channel, binding] : bindings_) {
    deactivate(channel);
    ended.push_back(std::move(binding));
  }
  bindings_.clear();
  unanswered_.clear();
  moving_.clear();
  waiting_.clear();
  for (const auto& binding : ended) {
    const bool frozen = binding->phase == Phase::frozen;
    void_outbox(*binding, frozen ? Errc::owner_lost : reason, frozen);
  }
}

// --- sending -------------------------------------------------------------------------------------

Result<> ProcessCore::may_send(std::string_view name) const {
  if (!ever_greeted_) return Error{Errc::unreachable, "no session with busd yet: await connect()"};
  if (restricted_ && !matches_any(send_prefixes_, name) && !name.starts_with("process/")) {
    return Error{Errc::denied, "role '" + config_.role + "' may not send to " + std::string(name)};
  }
  return {};
}

void ProcessCore::leave() {
  if (left_) return;
  left_ = true;
  lease_base_ = {};
  bye_due_ = session_.has_value();
  end_bindings(Errc::closed);
  origin_.fail_all();
}

}  // namespace starbus::bus
