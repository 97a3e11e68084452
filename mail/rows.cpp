#include "mail/rows.hpp"

#include <bit>
#include <utility>

#include "bus/core/bytes.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kTraceSize = 24;
constexpr std::size_t kPrefix = 2;  // kind, shard
constexpr std::size_t kStreamKey = kPrefix + 16 + 1;

void put_number(std::string& out, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
}

std::uint64_t get_number(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

/// As the id lies on the wire.
void put_id(std::string& out, const ChannelId& id) {
  std::byte bytes[16];
  bus::store(bytes, id.high);
  bus::store(bytes + 8, id.low);
  out.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

std::string of_bytes(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Row, class Read>
std::optional<Row> read_row(std::string_view value, Read&& read) {
  bus::Reader reader(as_bytes(value));
  Row row;
  read(reader, row);
  if (!reader.done()) return std::nullopt;
  return row;
}

std::string encode_pair(std::uint64_t first, std::uint64_t second) {
  Bytes out;
  bus::Writer writer(out);
  writer.put(first);
  writer.put(second);
  return of_bytes(out);
}

/// Of two numbers, which is all that a Row of this form has.
template <class Row>
std::optional<Row> decode_pair(std::string_view value) {
  return read_row<Row>(value, [](bus::Reader& reader, Row& row) {
    row = {reader.get<std::uint64_t>(), reader.get<std::uint64_t>()};
  });
}

}  // namespace

std::string kind_prefix(char kind, std::uint8_t shard) {
  return {kind, static_cast<char>(shard)};
}

std::string prefix_end(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

std::string shard_key(std::uint8_t shard) {
  return kind_prefix('S', shard);
}

std::string place_key(std::uint8_t shard) {
  return kind_prefix('P', shard);
}

std::string box_key(std::uint8_t shard, const ChannelId& id) {
  std::string key = kind_prefix('m', shard);
  put_id(key, id);
  return key;
}

std::string message_key(std::uint8_t shard, const ChannelId& id, std::uint64_t number) {
  std::string key;
  key.reserve(kPrefix + sizeof(id) + sizeof(number));
  key = kind_prefix('b', shard);
  put_id(key, id);
  put_number(key, number);
  return key;
}

std::string key_of_sender(const Process& sender, std::string_view key) {
  Bytes text;
  bus::Writer writer(text);
  writer.put(sender.host);
  writer.put(sender.slot);
  writer.bytes(as_bytes(key));
  std::string hash;
  put_id(hash, channel_id("post key " + of_bytes(text)));
  return hash;
}

std::string key_of_content(std::string_view key, bus::ByteView body) {
  Bytes text;
  bus::Writer writer(text);
  writer.put(static_cast<std::uint32_t>(key.size()));
  writer.bytes(as_bytes(key));
  writer.bytes(body);
  std::string hash;
  put_id(hash, channel_id("post content " + of_bytes(text)));
  return hash;
}

std::string post_key(std::uint8_t shard, const ChannelId& id, std::string_view idempotency) {
  std::string key = kind_prefix('k', shard);
  put_id(key, id);
  key += idempotency;
  return key;
}

std::string stream_key(std::uint8_t shard, const Process& origin, bus::Lane lane) {
  std::string key = kind_prefix('f', shard);
  put_number(key, std::uint64_t{origin.host} << 32 | origin.slot);
  put_number(key, origin.incarnation);
  key += static_cast<char>(lane);
  return key;
}

std::string results_key(std::uint8_t shard, const Process& origin, bus::Lane lane,
                        std::uint64_t seq) {
  std::string key = stream_key(shard, origin, lane);
  key.front() = 'r';
  put_number(key, seq);
  return key;
}

std::optional<StreamKey> read_stream_key(std::string_view key) {
  if (key.size() != kStreamKey && key.size() != kStreamKey + 8) return std::nullopt;
  StreamKey stream;
  const std::uint64_t place = get_number(key.substr(kPrefix, 8));
  stream.origin.host = static_cast<std::uint32_t>(place >> 32);
  stream.origin.slot = static_cast<std::uint32_t>(place);
  stream.origin.incarnation = get_number(key.substr(kPrefix + 8, 8));
  stream.lane = static_cast<bus::Lane>(key[kPrefix + 16]);
  if (key.size() > kStreamKey) stream.seq = get_number(key.substr(kStreamKey));
  return stream;
}

std::string describe(const Totals& totals) {
  return std::to_string(totals.boxes) + " mailboxes and logs, " + std::to_string(totals.messages) +
         " messages, " + std::to_string(totals.bytes) + " bytes of bodies";
}

std::string encode(const PlaceRow& row) {
  Bytes out;
  bus::Writer writer(out);
  writer.put(static_cast<std::uint8_t>(row.keeping));
  writer.put(row.token);
  writer.short_text(row.host);
  return of_bytes(out);
}

std::optional<PlaceRow> decode_place(std::string_view value) {
  return read_row<PlaceRow>(value, [](bus::Reader& reader, PlaceRow& row) {
    const auto keeping = reader.get<std::uint8_t>();
    if (keeping < 1 || keeping > 4) reader.fail();
    row.keeping = static_cast<Keeping>(keeping);
    row.token = reader.get<std::uint64_t>();
    row.host = reader.short_text();
  });
}

std::string encode(const ShardRow& row) {
  Bytes out;
  bus::Writer writer(out);
  writer.put(row.lineage.value);
  writer.put(row.totals.boxes);
  writer.put(row.totals.messages);
  writer.put(row.totals.bytes);
  return of_bytes(out);
}

std::optional<ShardRow> decode_shard(std::string_view value) {
  return read_row<ShardRow>(value, [](bus::Reader& reader, ShardRow& row) {
    row.lineage.value = reader.get<std::uint64_t>();
    row.totals.boxes = reader.get<std::uint64_t>();
    row.totals.messages = reader.get<std::uint64_t>();
    row.totals.bytes = reader.get<std::uint64_t>();
  });
}

void encode(const BoxRow& row, Bytes& out) {
  bus::Writer writer(out);
  writer.put(static_cast<std::uint8_t>(row.kind));
  writer.put(row.last);
  writer.put(row.floor);
  writer.put(row.total);
  writer.put(row.floor_total);
  writer.put(row.reader.value);
  writer.short_text(row.name);
}

std::string encode(const BoxRow& row) {
  Bytes out;
  encode(row, out);
  return of_bytes(out);
}

std::optional<BoxRow> decode_box(std::string_view value) {
  return read_row<BoxRow>(value, [](bus::Reader& reader, BoxRow& row) {
    const auto kind = reader.get<std::uint8_t>();
    if (kind < 1 || kind > 2) reader.fail();
    row.kind = static_cast<PostTarget>(kind);
    row.last = reader.get<std::uint64_t>();
    row.floor = reader.get<std::uint64_t>();
    if (row.floor > row.last || row.last > kMostNumber) reader.fail();
    row.total = reader.get<std::uint64_t>();
    row.floor_total = reader.get<std::uint64_t>();
    if (row.floor_total > row.total || row.total > kMostNumber) reader.fail();
    row.reader.value = reader.get<std::uint64_t>();
    row.name = reader.short_text();
  });
}

void encode(const MessageRow& row, Bytes& out) {
  bus::Writer writer(out);
  writer.put(row.time_ms);
  writer.put(row.total);
  writer.short_text(row.trace);
  writer.bytes(as_bytes(row.body));
}

std::string encode(const MessageRow& row) {
  Bytes out;
  encode(row, out);
  return of_bytes(out);
}

std::optional<MessageRow> decode_message(std::string_view value) {
  bus::Reader reader(as_bytes(value));
  MessageRow row;
  row.time_ms = reader.get<std::uint64_t>();
  row.total = reader.get<std::uint64_t>();
  row.trace = reader.short_text();
  if (!reader.ok() || (!row.trace.empty() && row.trace.size() != kTraceSize)) return std::nullopt;
  row.body = as_text(reader.rest());
  return row;
}

std::string encode(const KeyRow& row) {
  return encode_pair(row.number, row.time_ms);
}

std::optional<KeyRow> decode_key(std::string_view value) {
  return decode_pair<KeyRow>(value);
}

std::string encode(const StreamRow& row) {
  return encode_pair(row.last, row.time_ms);
}

std::optional<StreamRow> decode_stream(std::string_view value) {
  return decode_pair<StreamRow>(value);
}

std::string encode(const std::vector<PostResult>& results) {
  Bytes out;
  bus::Writer writer(out);
  for (const PostResult& result : results) {
    writer.put(result.seq);
    writer.put(static_cast<std::uint16_t>(result.status));
    writer.put(result.number);
  }
  return of_bytes(out);
}

bool decode_results(std::string_view value, std::vector<PostResult>& out) {
  bus::Reader reader(as_bytes(value));
  while (reader.ok() && !reader.empty()) {
    PostResult result;
    result.seq = reader.get<std::uint64_t>();
    result.status = static_cast<bus::Errc>(reader.get<std::uint16_t>());
    result.number = reader.get<std::uint64_t>();
    if (reader.ok()) out.push_back(result);
  }
  return reader.done();
}

}  // namespace starbus::mail
