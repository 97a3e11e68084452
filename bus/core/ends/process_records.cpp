// The work of a ProcessCore for each record of its busd.
#include <utility>

#include "bus/core/ends/process_core.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {
namespace {

/// Decodes the payload and calls the handler with the record. Returns the error of either.
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

Result<> ProcessCore::on_record(Kind kind, ByteView payload) {
  if (kind == Kind::welcome) {
    return decoded<Welcome>(payload, [&](Welcome record) { return on_welcome(record); });
  }
  if (kind == Kind::reset) {
    return decoded<Reset>(payload, [](Reset reset) -> Result<> {
      return Error{reset.reason, std::move(reset.detail)};
    });
  }
  if (!state_.greeted) return Error{Errc::bad_bytes, "no welcome"};
  return on_message_record(kind, payload);
}

Result<> ProcessCore::on_message_record(Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::data:
      return on_run(payload);
    case Kind::probe:
      return on_probe(payload);
    case Kind::multicast: {
      const auto multicast = decode_multicast(payload);
      if (!multicast) return multicast.error();
      owner_.on_multicast(*multicast);
      return {};
    }
    case Kind::ack:
      return decoded<Ack>(payload, [&](const Ack& ack) {
        if (ack.origin == state_.self) origin_.on_ack(ack);
      });
    case Kind::nack:
      return decoded<Nack>(payload, [&](const Nack& nack) {
        if (nack.origin == state_.self) origin_.on_nack(nack);
      });
    case Kind::posted:
      return decoded<Posted>(payload, [&](const Posted& posted) {
        if (posted.origin == state_.self) origin_.on_posted(posted);
      });
    case Kind::trace:
      return on_trace(payload);
    case Kind::withdraw:
      if (state_.minor < kWithdrawMinor) break;
      return decoded<Withdraw>(payload,
                               [&](const Withdraw& record) { owner_.on_withdraw(record); });
    case Kind::room:
      if (state_.minor < kRoomMinor || !payload.empty()) break;
      origin_.on_room();
      return {};
    default:
      return on_name_record(kind, payload);
  }
  return Error{Errc::bad_bytes, "unexpected record " + std::string(name_of(kind))};
}

Result<> ProcessCore::on_name_record(Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::attached:
      return decoded<Attached>(payload, [&](const Attached& record) { on_attached(record); });
    case Kind::refused:
      return decoded<Refused>(payload, [&](const Refused& record) { binder_.on_refused(record); });
    case Kind::active_ok:
      return decoded<ActiveOk>(payload,
                               [&](const ActiveOk& record) { binder_.on_active_ok(record); });
    case Kind::unbound:
      return decoded<Unbound>(payload, [&](const Unbound& record) { binder_.on_unbound(record); });
    case Kind::freed_ok:
      return decoded<FreedOk>(payload,
                              [&](const FreedOk& record) { requests_.on_freed_ok(record); });
    case Kind::move_ok:
      return decoded<MoveOk>(payload, [&](const MoveOk& record) { source_.on_move_ok(record); });
    case Kind::no_move:
      return decoded<NoMove>(payload, [&](const NoMove& record) { source_.on_no_move(record); });
    case Kind::reclaimed:
      return decoded<Reclaimed>(payload,
                                [&](const Reclaimed& record) { source_.on_reclaimed(record); });
    case Kind::moved:
      return decoded<Moved>(payload, [&](const Moved& record) { source_.on_moved(record); });
    case Kind::watch_rows:
      return decoded<WatchRows>(payload,
                                [&](WatchRows record) { watches_.on_rows(std::move(record)); });
    case Kind::watch_refused:
      return decoded<WatchRefused>(
          payload, [&](const WatchRefused& record) { watches_.on_refused(record); });
    default:
      return Error{Errc::bad_bytes, "unexpected record " + std::string(name_of(kind))};
  }
}

Result<> ProcessCore::on_run(ByteView payload) {
  const auto run = decode_run(payload);
  if (!run) return run.error();
  if (durable_.active(run->channel)) {
    durable_.on_run(*run);
  } else {
    owner_.on_run(*run);
  }
  return {};
}

Result<> ProcessCore::on_probe(ByteView payload) {
  const auto probe = decode<Probe>(payload);
  if (!probe) return probe.error();
  if (durable_.active(probe->channel)) {
    durable_.on_probe(*probe);
  } else {
    owner_.on_probe(*probe);
  }
  return {};
}

/// In turn with the messages of its lane, but no handler sees it.
Result<> ProcessCore::on_trace(ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (state_.minor < kTraceMinor) return Error{Errc::bad_bytes, "a trace in a session of 1.0"};
  const Binding* const binding = bindings_.find(trace->channel);
  if (!binding) {
    trace->end = TraceEnd::not_bound;
  } else {
    const bool frozen = binding->phase == Binding::Phase::frozen || binding->paused;
    trace->end = frozen ? TraceEnd::frozen : TraceEnd::owner;
  }
  trace->hops.push_back({state_.host + "." + state_.config.node,
                         static_cast<std::uint64_t>(state_.now.count()), control_.bytes()});
  control_.add(*trace);
  return {};
}

Result<> ProcessCore::on_welcome(const Welcome& welcome) {
  if (state_.greeted) return Error{Errc::bad_bytes, "second welcome"};
  const bool known = state_.self != Process{};
  const bool same_life = welcome.you.incarnation == state_.config.incarnation;
  if (!same_life || (known && welcome.you != state_.self)) {
    return Error{Errc::bad_bytes, "the welcome is for another process"};
  }
  state_.self = welcome.you;
  state_.minor = std::min(welcome.minor, state_.config.minor);
  state_.host = welcome.host;
  owner_.tell_age(state_.minor >= kOwnerAgeMinor);
  if (welcome.lease_ms != 0) lease_.set_length(from_ms(welcome.lease_ms));
  const bool first = !state_.rights.known;
  adopt_rights(welcome);
  if (!known) {
    auto own = Name::of(process_channel_name(state_.host, state_.config.node));
    if (!own) return own.error();
    binder_.bind_process(std::move(*own));
  }
  if (welcome.trust == Trust::server && !binder_.is_server()) {
    auto own = Name::of(server_channel_name(state_.host, state_.config.node));
    if (!own) return own.error();
    binder_.bind_server(std::move(*own));
  }
  state_.greeted = true;
  watches_.on_session();
  requests_.on_session();
  origin_.on_session();
  events_.on_welcome(first);
  return {};
}

void ProcessCore::adopt_rights(const Welcome& welcome) {
  RoleRights& rights = state_.rights;
  rights.bind_prefixes = welcome.bind_prefixes;
  rights.send_prefixes = welcome.send_prefixes;
  rights.max_names = welcome.max_names;
  rights.restricted = !matches_any(rights.send_prefixes, "");
  const bool may_have_sent = std::exchange(rights.known, true);
  if (!rights.restricted || !may_have_sent) return;
  origin_.restrict([this](const ChannelId& id) { return events_.name_of_channel(id); },
                   [&rights](std::string_view name) { return rights.may_send(name); });
}

void ProcessCore::on_attached(const Attached& attached) {
  // busroot has answered a request of this session, so it heard from this host after its begin.
  lease_.begin(std::max(session_began_, session_->lease_base()));
  Binding* const binding = bindings_.find(channel_id(attached.name));
  if (binding && binding->moves_under(attached.ticket, Binding::Phase::attaching)) {
    target_.on_attached(*binding, attached);
  } else {
    binder_.on_attached(attached);
  }
}

/// A malformed body comes from a broken or hostile process: the message counts as handled.
void ProcessCore::on_system_message(const Delivery& delivery) {
  if (delivery.body.size() < kRecordHeader) return;
  const auto kind = static_cast<Kind>(delivery.body[sizeof(std::uint32_t)]);
  const ByteView payload = delivery.body.subspan(kRecordHeader);
  if (kind == Kind::state) {
    if (auto state = decode<State>(payload)) target_.on_state(std::move(*state), delivery.origin);
  } else if (kind == Kind::state_refused) {
    const auto refused = decode<StateRefused>(payload);
    if (refused && refused->ticket.target.channel() == delivery.origin.channel()) {
      source_.on_state_refused(*refused);
    }
  } else if (is_mail(kind) || is_shard(kind)) {
    events_.on_mail(delivery.origin, kind, payload);
  }
}

}  // namespace starbus::bus
