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
    // Every item takes at least one byte, so a larger count is malformed. Nothing is reserved
    // before the items have been read.
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
  static bool valid(Trust trust) { return trust <= Trust::server; }
  static bool valid(AdminRole role) { return role <= AdminRole::operate; }
  static bool valid(TraceEnd end) { return end <= TraceEnd::too_long; }
  static bool valid(Errc) {
    return true;
  }  // a newer peer may send reasons that this one does not know

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

#define STARBUS_CODED(kind, number, Record)            \
  static_assert(Record::kKind == Kind::kind);          \
  template void encode<Record>(const Record&, Bytes&); \
  template Result<Record> decode<Record>(ByteView);
#define STARBUS_UNCODED(kind, number)
STARBUS_RECORDS(STARBUS_CODED, STARBUS_UNCODED)
#undef STARBUS_CODED
#undef STARBUS_UNCODED

std::string_view name_of(Kind kind) {
  switch (kind) {
#define STARBUS_CODED_NAME(kind, number, Record) \
  case Kind::kind:                               \
    return #kind;
#define STARBUS_UNCODED_NAME(kind, number) STARBUS_CODED_NAME(kind, number, )
    STARBUS_RECORDS(STARBUS_CODED_NAME, STARBUS_UNCODED_NAME)
#undef STARBUS_CODED_NAME
#undef STARBUS_UNCODED_NAME
  }
  return "unknown";
}

}  // namespace starbus::bus
