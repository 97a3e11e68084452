#include "bus/core/wire/record.hpp"

#include <limits>

#include "bus/core/limits.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {
namespace {

class EncodeArchive {
 public:
  explicit EncodeArchive(Bytes& out) : writer_(out) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

 private:
  template <std::unsigned_integral T>
  void put(T value) {
    writer_.put(value);
  }
  void put(bool value) { writer_.put(static_cast<std::uint8_t>(value)); }
  template <class T>
  requires std::is_enum_v<T>
  void put(T value) { writer_.put(static_cast<std::underlying_type_t<T>>(value)); }
  void put(const std::string& text) {
    writer_.short_text(std::string_view(text).substr(0, std::numeric_limits<std::uint8_t>::max()));
  }
  void put(const Bytes& bytes) { writer_.long_bytes(bytes); }
  void put(Epoch epoch) { writer_.put(epoch.value); }
  void put(const ChannelId& id) {
    writer_.put(id.high);
    writer_.put(id.low);
  }
  void put(const Process& process) {
    writer_.put(process.host);
    writer_.put(process.slot);
    writer_.put(process.incarnation);
  }
  void put(const Ticket& ticket) {
    put(ticket.source);
    put(ticket.target);
    put(ticket.number);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    writer_.put(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) {
      if constexpr (requires { const_cast<T&>(item).fields(*this); }) {
        const_cast<T&>(item).fields(*this);
      } else {
        put(item);
      }
    }
  }

  Writer writer_;
};

class DecodeArchive {
 public:
  explicit DecodeArchive(ByteView bytes) : reader_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool done() const { return reader_.done(); }
  bool ok() const { return reader_.ok(); }

 private:
  template <std::unsigned_integral T>
  void get(T& value) {
    value = reader_.get<T>();
  }
  void get(bool& value) {
    const auto raw = reader_.get<std::uint8_t>();
    if (raw > 1) reader_.fail();
    value = raw == 1;
  }
  void get(std::string& text) { text = reader_.short_text(); }
  void get(Bytes& bytes) {
    const ByteView view = reader_.long_bytes();
    bytes.assign(view.begin(), view.end());
  }
  void get(Epoch& epoch) { epoch.value = reader_.get<std::uint64_t>(); }
  void get(ChannelId& id) {
    id.high = reader_.get<std::uint64_t>();
    id.low = reader_.get<std::uint64_t>();
  }
  void get(Process& process) {
    process.host = reader_.get<std::uint32_t>();
    process.slot = reader_.get<std::uint32_t>();
    process.incarnation = reader_.get<std::uint64_t>();
  }
  void get(Ticket& ticket) {
    get(ticket.source);
    get(ticket.target);
    get(ticket.number);
  }
  template <class T>
  requires std::is_enum_v<T>
  void get(T& value) {
    using Raw = std::underlying_type_t<T>;
    const Raw raw = reader_.get<Raw>();
    value = static_cast<T>(raw);
    if (!valid(value)) reader_.fail();
  }
  template <class T>
  void get(std::vector<T>& list) {
    // Every item takes at least one byte, so a count beyond what is left is a lie; nothing is
    // reserved before items are really there.
    const auto count = reader_.get<std::uint32_t>();
    if (count > reader_.rest().size()) return reader_.fail();
    if (std::is_same_v<T, std::string> && count > kMaxAclPrefixes) return reader_.fail();
    if (std::is_same_v<T, TraceHop> && count > HopTrace::kMostHops) return reader_.fail();
    if (std::is_same_v<T, PostResult> && count > Posted::kMostResults) return reader_.fail();
    for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
      T& item = list.emplace_back();
      if constexpr (requires { item.fields(*this); }) {
        item.fields(*this);
      } else {
        get(item);
      }
    }
  }

  static bool valid(Lane lane) { return lane >= Lane::call && lane <= Lane::bulk; }
  static bool valid(PartyKind kind) {
    return kind == PartyKind::process || kind == PartyKind::busd;
  }
  static bool valid(NackReason reason) {
    return reason >= NackReason::gap && reason <= NackReason::no_owner;
  }
  static bool valid(RowState state) {
    return state >= RowState::active && state <= RowState::granted;
  }
  static bool valid(ShardChange::What what) {
    return what >= ShardChange::What::put && what <= ShardChange::What::erase_range;
  }
  static bool valid(PostTarget target) {
    return target == PostTarget::mailbox || target == PostTarget::log;
  }
  static bool valid(TraceEnd end) { return end <= TraceEnd::too_long; }
  static bool valid(Errc) { return true; }  // a newer peer may know more reasons

  Reader reader_;
};

}  // namespace

template <class Record>
void encode(const Record& record, Bytes& out) {
  const std::size_t start = out.size();
  Writer writer(out);
  writer.put(std::uint32_t{0});
  writer.put(static_cast<std::uint8_t>(Record::kKind));
  EncodeArchive archive(out);
  const_cast<Record&>(record).fields(archive);
  store(out.data() + start, static_cast<std::uint32_t>(out.size() - start - sizeof(std::uint32_t)));
}

template <class Record>
Result<Record> decode(ByteView payload) {
  Record record;
  DecodeArchive archive(payload);
  record.fields(archive);
  constexpr bool extensible = requires {
    Record::kExtensible;
  };
  if (extensible ? !archive.ok() : !archive.done()) {
    return Error{Errc::bad_bytes, "malformed " + std::string(name_of(Record::kKind))};
  }
  return record;
}

#define STARBUS_CODED(Record)                          \
  template void encode<Record>(const Record&, Bytes&); \
  template Result<Record> decode<Record>(ByteView);
STARBUS_CODED(Hello)
STARBUS_CODED(Welcome)
STARBUS_CODED(Reset)
STARBUS_CODED(Bye)
STARBUS_CODED(Heartbeat)
STARBUS_CODED(Probe)
STARBUS_CODED(Ack)
STARBUS_CODED(Nack)
STARBUS_CODED(Open)
STARBUS_CODED(Room)
STARBUS_CODED(ProcessUp)
STARBUS_CODED(Table)
STARBUS_CODED(TableEnd)
STARBUS_CODED(ProcessDead)
STARBUS_CODED(Bind)
STARBUS_CODED(Attached)
STARBUS_CODED(Refused)
STARBUS_CODED(Active)
STARBUS_CODED(ActiveOk)
STARBUS_CODED(Unbind)
STARBUS_CODED(Unbound)
STARBUS_CODED(Freed)
STARBUS_CODED(FreedOk)
STARBUS_CODED(Move)
STARBUS_CODED(MoveOk)
STARBUS_CODED(NoMove)
STARBUS_CODED(Attach)
STARBUS_CODED(Reclaim)
STARBUS_CODED(Reclaimed)
STARBUS_CODED(Moved)
STARBUS_CODED(State)
STARBUS_CODED(StateRefused)
STARBUS_CODED(Watch)
STARBUS_CODED(Unwatch)
STARBUS_CODED(WatchRows)
STARBUS_CODED(WatchRefused)
STARBUS_CODED(Query)
STARBUS_CODED(Answer)
STARBUS_CODED(HopTrace)
STARBUS_CODED(Vitals)
STARBUS_CODED(Resume)
STARBUS_CODED(Posted)
STARBUS_CODED(MailOpen)
STARBUS_CODED(MailOpened)
STARBUS_CODED(MailItems)
STARBUS_CODED(MailConsumed)
STARBUS_CODED(MailAck)
STARBUS_CODED(MailAcked)
STARBUS_CODED(MailEnd)
STARBUS_CODED(ShardTake)
STARBUS_CODED(ShardRows)
STARBUS_CODED(ShardMore)
STARBUS_CODED(ShardGiven)
STARBUS_CODED(MailAttempts)
STARBUS_CODED(MailRefused)
#undef STARBUS_CODED

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::hello:
      return "hello";
    case Kind::welcome:
      return "welcome";
    case Kind::reset:
      return "reset";
    case Kind::bye:
      return "bye";
    case Kind::heartbeat:
      return "heartbeat";
    case Kind::data:
      return "data";
    case Kind::probe:
      return "probe";
    case Kind::multicast:
      return "multicast";
    case Kind::ack:
      return "ack";
    case Kind::nack:
      return "nack";
    case Kind::chunk:
      return "chunk";
    case Kind::open:
      return "open";
    case Kind::room:
      return "room";
    case Kind::posted:
      return "posted";
    case Kind::process_up:
      return "process_up";
    case Kind::table:
      return "table";
    case Kind::table_end:
      return "table_end";
    case Kind::process_dead:
      return "process_dead";
    case Kind::bind:
      return "bind";
    case Kind::attached:
      return "attached";
    case Kind::refused:
      return "refused";
    case Kind::active:
      return "active";
    case Kind::active_ok:
      return "active_ok";
    case Kind::unbind:
      return "unbind";
    case Kind::unbound:
      return "unbound";
    case Kind::freed:
      return "freed";
    case Kind::freed_ok:
      return "freed_ok";
    case Kind::resume:
      return "resume";
    case Kind::move:
      return "move";
    case Kind::move_ok:
      return "move_ok";
    case Kind::no_move:
      return "no_move";
    case Kind::attach:
      return "attach";
    case Kind::reclaim:
      return "reclaim";
    case Kind::reclaimed:
      return "reclaimed";
    case Kind::moved:
      return "moved";
    case Kind::state:
      return "state";
    case Kind::state_refused:
      return "state_refused";
    case Kind::watch:
      return "watch";
    case Kind::unwatch:
      return "unwatch";
    case Kind::watch_rows:
      return "watch_rows";
    case Kind::watch_refused:
      return "watch_refused";
    case Kind::query:
      return "query";
    case Kind::answer:
      return "answer";
    case Kind::trace:
      return "trace";
    case Kind::vitals:
      return "vitals";
    case Kind::mail_open:
      return "mail_open";
    case Kind::mail_opened:
      return "mail_opened";
    case Kind::mail_items:
      return "mail_items";
    case Kind::mail_consumed:
      return "mail_consumed";
    case Kind::mail_ack:
      return "mail_ack";
    case Kind::mail_acked:
      return "mail_acked";
    case Kind::mail_end:
      return "mail_end";
    case Kind::shard_take:
      return "shard_take";
    case Kind::shard_rows:
      return "shard_rows";
    case Kind::shard_more:
      return "shard_more";
    case Kind::shard_given:
      return "shard_given";
    case Kind::mail_attempts:
      return "mail_attempts";
    case Kind::mail_refused:
      return "mail_refused";
  }
  return "unknown";
}

std::optional<std::uint8_t> shard_in(Kind kind, ByteView payload) {
  constexpr std::size_t kBefore = sizeof(ShardTake::token);
  if (!is_shard(kind) || payload.size() <= kBefore) return std::nullopt;
  return std::to_integer<std::uint8_t>(payload[kBefore]);
}

Answer fit_to_send(const Answer& answer) {
  if (answer.body.size() <= kMaxAnswer) return answer;
  constexpr std::string_view kBody =
      R"({"error":"too_large","detail":"the answer has more than 8 MiB: ask that daemon itself"})";
  const ByteView body = as_bytes(kBody);
  return {answer.to_host, answer.number, 413, {body.begin(), body.end()}};
}

std::string_view name_of(TraceEnd end) {
  switch (end) {
    case TraceEnd::none:
      return "none";
    case TraceEnd::owner:
      return "owner";
    case TraceEnd::not_bound:
      return "not_bound";
    case TraceEnd::frozen:
      return "frozen";
    case TraceEnd::no_owner:
      return "no_owner";
    case TraceEnd::held:
      return "held";
    case TraceEnd::no_session:
      return "no_session";
    case TraceEnd::queue_full:
      return "queue_full";
    case TraceEnd::older_version:
      return "older_version";
    case TraceEnd::too_long:
      return "too_long";
  }
  return "unknown";
}

std::string_view name_of(NackReason reason) {
  switch (reason) {
    case NackReason::gap:
      return "gap";
    case NackReason::lineage:
      return "lineage";
    case NackReason::overflow:
      return "overflow";
    case NackReason::no_owner:
      return "no_owner";
  }
  return "unknown";
}

}  // namespace starbus::bus
