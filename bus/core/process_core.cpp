#include "bus/core/process_core.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {
namespace {

constexpr std::size_t kRowsPerTable = 256;  // small enough to interleave with other records

}  // namespace

ProcessCore::ProcessCore(ProcessConfig config, ProcessEvents& events, Time now)
    : config_(std::move(config)),
      events_(events),
      now_(now),
      origin_(events),
      owner_([this](BindingId id, const Delivery& d) { events_.on_delivery(id, d); },
             [this](ByteView record) { say_encoded(record); }) {
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
  greeted_ = false;
  control_.clear();
  session_.emplace(session_id, now_);
  Hello hello;
  hello.minor = kVersionMinor;
  hello.party = PartyKind::process;
  hello.name = config_.node;
  hello.role = config_.role;
  hello.incarnation = config_.incarnation;
  hello.software = config_.software;
  session_->say(hello);
  say_table();
}

void ProcessCore::say_table() {
  Table table;
  table.process = self_;
  for (const auto& [id, binding] : bindings_) {
    if (binding->phase != Phase::active) continue;
    table.rows.push_back(
        {binding->name.text(), binding->epoch, binding->lineage, RowState::active});
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
  greeted_ = false;
  control_.clear();
}

Result<> ProcessCore::on_bundle(ByteView bundle, Time now) {
  set_now(now);
  if (!session_) return Error{Errc::closed};
  return session_->receive(bundle, now_, *this);
}

void ProcessCore::tick(Time now) {
  set_now(now);
  origin_.tick(now_);
  owner_.sweep();
  if (!session_) return;
  session_->tick(now_);
  if (greeted_) ask_again();
}

void ProcessCore::pump(const Session::Take& take, const Session::Emit& emit) {
  owner_.flush_acks();
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
  // Without a session, or beyond the bound, a record may vanish: requests are repeated, and who
  // misses an ACK sends a PROBE.
  if (!session_ || control_.size() > kControlQueue) return;
  control_.push(record.data(), record.size());
}

// --- what busd says ------------------------------------------------------------------------------

Result<> ProcessCore::on_record(Kind kind, ByteView payload) {
  if (kind == Kind::welcome || kind == Kind::reset) return on_control(kind, payload);
  if (!greeted_) return Error{Errc::bad_bytes, "no welcome"};
  switch (kind) {
    case Kind::data: {
      const auto run = decode_run(payload);
      if (!run) return run.error();
      owner_.on_run(*run);
      return {};
    }
    case Kind::ack: {
      const auto ack = decode<Ack>(payload);
      if (!ack) return ack.error();
      if (ack->origin == self_) origin_.on_ack(*ack);
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
      owner_.on_probe(*probe);
      return {};
    }
    case Kind::multicast: {
      const auto multicast = decode_multicast(payload);
      if (!multicast) return multicast.error();
      owner_.on_multicast(*multicast);
      return {};
    }
    default:
      return on_control(kind, payload);
  }
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
  if (welcome.you.incarnation != config_.incarnation || (ever_greeted_ && welcome.you != self_)) {
    return Error{Errc::bad_bytes, "welcome for somebody else"};
  }
  self_ = welcome.you;
  host_ = welcome.host;
  bind_prefixes_ = welcome.bind_prefixes;
  send_prefixes_ = welcome.send_prefixes;
  max_names_ = welcome.max_names;
  restricted_ = !matches_any(send_prefixes_, "");
  const bool first = !std::exchange(ever_greeted_, true);
  if (first) {
    auto own = Name::of(process_channel_name(host_, config_.node));
    if (!own) return own.error();
    process_binding_ = *add_binding(std::move(*own));
  }
  greeted_ = true;
  for (const auto& [prefix, rows] : watches_) say(Watch{prefix});
  for (const auto& channel : unanswered_) ask(*find(channel));
  for (auto& [channel, freeing] : freeing_) freeing.asked = Time{};
  origin_.on_session();
  events_.on_welcome(first);
  return {};
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
  bye_due_ = session_.has_value();
  std::vector<ChannelId> channels;
  for (const auto& [channel, binding] : bindings_) channels.push_back(channel);
  for (const ChannelId& channel : channels) {
    owner_.deactivate(channel);
    forget(channel);
  }
  origin_.fail_all();
}

}  // namespace starbus::bus
