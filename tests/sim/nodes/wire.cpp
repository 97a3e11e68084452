#include "tests/sim/nodes/wire.hpp"

#include <algorithm>

#include "bus/core/wire/data.hpp"

namespace starbus::sim {

using namespace bus;  // NOLINT: a translation unit about its records

bool contains(ByteView bundle, Kind kind) {
  bool found = false;
  for_each_record(bundle, [&](Kind present, ByteView) { found |= present == kind; });
  return found;
}

namespace {

/// One meaningless record of exactly `size` bytes, header included.
void put_nothing(std::byte* at, std::size_t size, Toward toward) {
  const bool up = toward == Toward::listener;
  const std::size_t tail = up ? 0 : 3;  // reason and the empty detail of watch_refused
  const std::size_t text = size - kRecordHeader - 1 - tail;
  store(at, static_cast<std::uint32_t>(size - sizeof(std::uint32_t)));
  store(at + 4, static_cast<std::uint8_t>(up ? Kind::unwatch : Kind::watch_refused));
  store(at + 5, static_cast<std::uint8_t>(text));
  std::fill_n(at + 6, text, std::byte{'~'});
  std::fill_n(at + 6 + text, tail, std::byte{0});
}

/// The shortest that may be needed holds one '~', the longest 255.
void fill_with_nothing(std::byte* at, std::size_t size, Toward toward) {
  const std::size_t fixed = kRecordHeader + 1 + (toward == Toward::listener ? 0 : 3);
  const std::size_t least = fixed + 1;
  const std::size_t most = fixed + 255;
  while (size != 0) {
    std::size_t piece = std::min(size, most);
    if (size != piece && size - piece < least) piece = size - least;
    put_nothing(at, piece, toward);
    at += piece;
    size -= piece;
  }
}

}  // namespace

int lose_records(Bytes& bundle, Toward toward,
                 const std::function<bool(Kind kind, ByteView payload)>& lose) {
  int lost = 0;
  for (std::size_t at = kBundleHeaderSize; at < bundle.size();) {
    std::byte* const record = bundle.data() + at;
    const std::size_t size = sizeof(std::uint32_t) + load<std::uint32_t>(record);
    const auto kind = static_cast<Kind>(load<std::uint8_t>(record + 4));
    at += size;
    if (size < 16 || !lose(kind, {record + kRecordHeader, size - kRecordHeader})) continue;
    fill_with_nothing(record, size, toward);
    ++lost;
  }
  return lost;
}

std::uint64_t fingerprint(ByteView bytes, std::uint64_t seed) {
  std::uint64_t hash = seed ^ (bytes.size() * 0x9e37'79b9'7f4a'7c15ULL);
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0xff51'afd7'ed55'8ccdULL;
    hash ^= hash >> 32;
  };
  while (bytes.size() >= 8) {
    mix(load<std::uint64_t>(bytes.data()));
    bytes = bytes.subspan(8);
  }
  std::uint64_t tail = 0;
  for (const std::byte byte : bytes) tail = tail << 8 | static_cast<std::uint64_t>(byte);
  mix(tail);
  return hash;
}

// --- words ---------------------------------------------------------------------------------------

namespace {

/// Collects the fields of a record in words. The archives of the codec only need one overload each,
/// so this one names what people look for and leaves the rest out.
class Words {
 public:
  Words(const NameChannel& channel, const NameProcess& process)
      : channel_(channel), process_(process) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(text_); }

  void put(const ChannelId& id) { add(channel_(id)); }
  void put(const Process& id) { add(process_(id)); }
  void put(Epoch epoch) { add(epoch.to_string()); }
  void put(Lane lane) { add(std::string(bus::name_of(lane))); }
  void put(NackReason reason) { add(std::string(bus::name_of(reason))); }
  void put(Errc reason) { add(std::string(bus::name_of(reason))); }
  void put(RowState state) {
    add(state == RowState::active ? "active" : state == RowState::frozen ? "frozen" : "attaching");
  }
  void put(PartyKind) {}
  void put(const Ticket& ticket) {
    add("ticket " + process_(ticket.source) + ">" + process_(ticket.target) + "#" +
        std::to_string(ticket.number));
  }
  void put(const std::string& text) {
    if (!text.empty()) add(text);
  }
  void put(const Bytes& bytes) { add(std::to_string(bytes.size()) + " bytes"); }
  void put(bool value) { add(value ? "yes" : "no"); }
  template <std::unsigned_integral T>
  void put(T value) {
    add(std::to_string(value));
  }
  template <class T>
  void put(const std::vector<T>& list) {
    add("[" + std::to_string(list.size()));
    for (const T& item : list) {
      if constexpr (requires { const_cast<T&>(item).fields(*this); }) {
        text_ += ";";
        const_cast<T&>(item).fields(*this);
      } else {
        put(item);
      }
    }
    text_ += "]";
  }

 private:
  void add(const std::string& word) {
    if (!text_.empty()) text_ += ' ';
    text_ += word;
  }
  const NameChannel& channel_;
  const NameProcess& process_;
  std::string text_;
};

std::string words_of_run(ByteView payload, const NameChannel& channel, const NameProcess& process) {
  const auto run = decode_run(payload);
  if (!run) return "malformed";
  std::string text = channel(run->channel) + " <- " + process(run->origin) + " " +
                     std::string(name_of(run->lane)) + " " + std::to_string(run->seq);
  RunReader reader(*run);
  std::uint64_t last = run->seq;
  bool system = false;
  while (const auto item = reader.next()) {
    last = item->seq;
    system |= item->system;
  }
  if (last != run->seq) text += ".." + std::to_string(last);
  text += " prev " + std::to_string(run->prev) + " lineage " + run->lineage.to_string();
  return system ? text + " system" : text;
}

std::string words_of_multicast(ByteView payload, const NameChannel& channel,
                               const NameProcess& process) {
  const auto multicast = decode_multicast(payload);
  if (!multicast) return "malformed";
  std::string text = process(multicast->origin) + " " + std::string(name_of(multicast->lane));
  for (const Target& target : multicast->targets) {
    text += "; " + channel(target.channel) + " " + std::to_string(target.seq) + " prev " +
            std::to_string(target.prev);
  }
  return text;
}

template <class Record>
std::string words_of(ByteView payload, const NameChannel& channel, const NameProcess& process) {
  auto record = decode<Record>(payload);
  if (!record) return "malformed";
  Words words(channel, process);
  record->fields(words);
  return words.take();
}

}  // namespace

std::string describe(Kind kind, ByteView payload, const NameChannel& channel,
                     const NameProcess& process) {
  const std::string name(name_of(kind));
  const auto with = [&](const std::string& words) {
    return words.empty() ? name : name + " " + words;
  };
  switch (kind) {
    case Kind::data:
      return with(words_of_run(payload, channel, process));
    case Kind::multicast:
      return with(words_of_multicast(payload, channel, process));
#define STARBUS_WORDS(Record) \
  case Record::kKind:         \
    return with(words_of<Record>(payload, channel, process));
      STARBUS_WORDS(Hello)
      STARBUS_WORDS(Heartbeat)
      STARBUS_WORDS(Reset)
      STARBUS_WORDS(Probe)
      STARBUS_WORDS(Ack)
      STARBUS_WORDS(Nack)
      STARBUS_WORDS(ProcessUp)
      STARBUS_WORDS(Table)
      STARBUS_WORDS(ProcessDead)
      STARBUS_WORDS(RowsTaken)
      STARBUS_WORDS(Bind)
      STARBUS_WORDS(Attached)
      STARBUS_WORDS(Refused)
      STARBUS_WORDS(Active)
      STARBUS_WORDS(ActiveOk)
      STARBUS_WORDS(Unbind)
      STARBUS_WORDS(Unbound)
      STARBUS_WORDS(Freed)
      STARBUS_WORDS(FreedOk)
      STARBUS_WORDS(bus::Move)
      STARBUS_WORDS(MoveOk)
      STARBUS_WORDS(NoMove)
      STARBUS_WORDS(Attach)
      STARBUS_WORDS(Reclaim)
      STARBUS_WORDS(Reclaimed)
      STARBUS_WORDS(Moved)
      STARBUS_WORDS(Watch)
#undef STARBUS_WORDS
    default:
      return name;
  }
}

}  // namespace starbus::sim
