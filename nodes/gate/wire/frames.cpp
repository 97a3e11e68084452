#include "nodes/gate/wire/frames.hpp"

#include <type_traits>
#include <utility>

#include "bus/core/utf8.hpp"
#include "entity/client/fields.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using bus::Bytes;
using bus::ByteView;
using entity::DataErrc;
using entity::DataError;
using entity::DataResult;
using entity::Decoder;
using entity::Encoder;
using sessions::FieldWriter;
using sessions::kAnyNumber;
using sessions::kChannelBytes;
using sessions::pair_of;

/// The kind of the first frame of each side; the others follow.
constexpr std::uint8_t kFromClient = 1;
constexpr std::uint8_t kToClient = 65;

/// Clients are hostile, and their texts go to logs and into names: malformed unless UTF-8.
class ClientReader : public sessions::FieldReader {
 public:
  explicit ClientReader(Decoder& in) : FieldReader(in), in_(in) {}
  void text(std::string& text, std::size_t most) {
    FieldReader::text(text, most);
    if (in_.ok() && !bus::is_utf8(text)) in_.fail(DataErrc::malformed);
  }
  /// Whatever is left; too_large beyond `most` bytes.
  void rest(Bytes& bytes, std::size_t most) {
    if (in_.left() > most) return in_.fail(DataErrc::too_large);
    const ByteView read = in_.take(in_.left());
    bytes.assign(read.begin(), read.end());
  }
  void fail() { in_.fail(DataErrc::malformed); }

 private:
  Decoder& in_;
};

class ClientWriter : public FieldWriter {
 public:
  explicit ClientWriter(Encoder& out) : FieldWriter(out), out_(out) {}
  void rest(const Bytes& bytes, std::size_t) { out_.raw(bytes.data(), bytes.size()); }

 private:
  Encoder& out_;
};

/// An enumeration of one byte, from 1 to `last`; a flag is one from 0.
template <class A, class V>
void byte_of(A& a, V& v, V last) {
  a.byte(v, 1, static_cast<std::uint8_t>(last));
}
template <class A, class V>
void byte_of(A& a, const V& v, V) {
  a.byte(static_cast<std::uint8_t>(v), 0, 0);
}
template <class A, class V>
void flag_of(A& a, V& v) {
  if constexpr (A::kReads) {
    a.byte(v, 0, 1);
  } else {
    a.byte(static_cast<std::uint8_t>(v ? 1 : 0), 0, 1);
  }
}
bool is_packet_kind(PacketKind kind) {
  return kind <= PacketKind::reply || kind == PacketKind::over || kind == PacketKind::sight ||
         kind >= PacketKind::spoken;
}
template <class A, class V>
void position_of(A& a, V& v) {
  a.number(v.turn, 0xffff'ffff);
  a.number(v.c, kAnyNumber);
}

// The fields of each frame, in the order of docs/reference/client-protocol.md; V is a value that is
// written (const) or read.
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Hello>
void fields(A& a, V& v) {
  a.number(v.least, 0xffff);
  a.number(v.most, 0xffff);
  a.number(v.features, kAnyNumber);
  a.number(v.schema, kAnyNumber);
  a.text(v.program, kProgramBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Login>
void fields(A& a, V& v) {
  a.text(v.method, kMethodBytes);
  a.text(v.account, kAccountBytes);
  a.bytes(v.proof, kProofBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Resume>
void fields(A& a, V& v) {
  a.key(v.session);
  a.key(v.token);
  a.text(v.gate, kChannelBytes);
  position_of(a, v.position);
  a.bytes(v.reentry, sessions::kTicketBytes);
}
template <class A, class V>
requires std::is_empty_v<V>
void fields(A&, V&) {}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Ack>
void fields(A& a, V& v) {
  a.number(v.c, kAnyNumber);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Ask>
void fields(A& a, V& v) {
  a.number(v.u, kAnyNumber);
  pair_of(a, v.bind);
  a.bytes(v.body, sessions::kRequestBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Ping>
void fields(A& a, V& v) {
  a.number(v.time, kAnyNumber);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Pong>
void fields(A& a, V& v) {
  a.number(v.time, kAnyNumber);
  a.number(v.here, kAnyNumber);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Greeting>
void fields(A& a, V& v) {
  a.number(v.version, 0xffff);
  a.number(v.features, kAnyNumber);
  a.number(v.schema, kAnyNumber);
  a.number(v.here, kAnyNumber);
  a.number(v.heartbeat_ms, 0xffff'ffff);
  a.number(v.frame_bytes, 0xffff'ffff);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Waiting>
void fields(A& a, V& v) {
  byte_of(a, v.what, WaitsFor::gate);
  a.number(v.ahead, kAnyNumber);
  a.number(v.seconds, 0xffff'ffff);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Welcome>
void fields(A& a, V& v) {
  a.key(v.session);
  a.key(v.token);
  a.text(v.gate, kChannelBytes);
  position_of(a, v.position);
  flag_of(a, v.goes_on);
  a.number(v.login, kAnyNumber);
  a.number(v.up_seen, kAnyNumber);
  pair_of(a, v.up_bind);
  a.bytes(v.reentry, sessions::kTicketBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Packet>
void fields(A& a, V& v) {
  a.number(v.c, kAnyNumber);
  byte_of(a, v.kind, PacketKind::ended);
  if constexpr (A::kReads) {
    if (!is_packet_kind(v.kind)) a.fail();
  }
  a.rest(v.body, kPacketBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Busy>
void fields(A& a, V& v) {
  a.number(v.up_seen, kAnyNumber);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, GoTo>
void fields(A& a, V& v) {
  a.text(v.address, kChannelBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Closed>
void fields(A& a, V& v) {
  byte_of(a, v.reason, CloseReason::fault);
  a.number(v.retry_ms, 0xffff'ffff);
  a.text(v.text, kCloseTextBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Spoken>
void fields(A& a, V& v) {
  a.text(v.group, sessions::kGroupName);
  a.bytes(v.body, sessions::kPartBytes);
}
template <class A, class V>
requires std::is_same_v<std::remove_const_t<V>, Ended>
void fields(A& a, V& v) {
  byte_of(a, v.reason, CloseReason::fault);
  flag_of(a, v.closing);
  a.number(v.up_done, kAnyNumber);
  pair_of(a, v.since);
}

template <class T>
void put(const T& value, Bytes& out) {
  Encoder to(out);
  ClientWriter writer(to);
  fields(writer, value);
}
template <class... F>
void put_frame(const std::variant<F...>& frame, std::uint8_t first, Bytes& out) {
  out.push_back(static_cast<std::byte>(first + frame.index()));
  std::visit([&](const auto& each) { put(each, out); }, frame);
}

template <class T>
DataResult<T> get(ByteView bytes) {
  Decoder in(bytes);
  ClientReader reader(in);
  T value;
  fields(reader, value);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(value)};
}
template <class Variant, std::size_t I = 0>
DataResult<Variant> get_frame(std::size_t index, ByteView fields_of_it) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return DataError(DataErrc::malformed);
  } else {
    if (index != I) return get_frame<Variant, I + 1>(index, fields_of_it);
    auto frame = get<std::variant_alternative_t<I, Variant>>(fields_of_it);
    if (!frame) return frame.error();
    return {in_place_value, *std::move(frame)};
  }
}
template <class Variant>
DataResult<Variant> get_any(std::uint8_t first, ByteView bytes) {
  if (bytes.empty()) return DataError(DataErrc::truncated);
  const auto kind = std::to_integer<std::uint8_t>(bytes.front());
  if (kind < first) return DataError(DataErrc::malformed);
  return get_frame<Variant>(static_cast<std::size_t>(kind - first), bytes.subspan(1));
}

}  // namespace

void encode(const FromClient& frame, Bytes& out) {
  put_frame(frame, kFromClient, out);
}
void encode(const ToClient& frame, Bytes& out) {
  put_frame(frame, kToClient, out);
}
void encode(const Spoken& body, Bytes& out) {
  put(body, out);
}
void encode(const Ended& body, Bytes& out) {
  put(body, out);
}

DataResult<FromClient> decode_from_client(ByteView bytes) {
  return get_any<FromClient>(kFromClient, bytes);
}
DataResult<ToClient> decode_to_client(ByteView bytes) {
  return get_any<ToClient>(kToClient, bytes);
}
DataResult<Spoken> decode_spoken(ByteView bytes) {
  return get<Spoken>(bytes);
}
DataResult<Ended> decode_ended(ByteView bytes) {
  return get<Ended>(bytes);
}

}  // namespace starbus::nodes::gate
