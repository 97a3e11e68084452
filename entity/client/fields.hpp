/// How values of sessions are written and read: one list of fields for both ways. For the codecs of
/// sessions: here, of gates and of accounts. Plain values; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/name.hpp"
#include "entity/archive/decoder.hpp"
#include "entity/client/limits.hpp"
#include "entity/client/words.hpp"

namespace starbus::entity::sessions {

/// Appends fields. The bounds are for the reader, which has the same functions.
class FieldWriter {
 public:
  explicit FieldWriter(Encoder& out) : out_(out) {}
  /// A varint.
  void number(std::uint64_t value, std::uint64_t) { out_.varint(value); }
  void byte(std::uint8_t value, std::uint8_t, std::uint8_t) { out_.byte(value); }
  /// 16 bytes.
  void key(const Key& key) {
    std::byte bytes[16];
    bus::store(bytes, key.high);
    bus::store(bytes + 8, key.low);
    out_.raw(bytes, sizeof bytes);
  }
  void text(std::string_view text, std::size_t) { out_.text(text); }
  void bytes(const Bytes& bytes, std::size_t) { out_.text(bus::as_text(bytes)); }
  /// Tells lists of fields which of the two this is.
  static constexpr bool kReads = false;
  /// The number of elements that follow.
  std::size_t count(std::size_t size, std::size_t) {
    out_.varint(size);
    return size;
  }

 private:
  Encoder& out_;
};

/// Reads them; what breaks a bound fails the decoder.
class FieldReader {
 public:
  explicit FieldReader(Decoder& in) : in_(in) {}
  /// malformed beyond `most`.
  template <class T>
  void number(T& value, std::uint64_t most) {
    const std::uint64_t read = in_.varint();
    if (read > most) in_.fail(DataErrc::malformed);
    value = static_cast<T>(in_.ok() ? read : 0);
  }
  /// malformed outside of the two bounds.
  template <class T>
  void byte(T& value, std::uint8_t least, std::uint8_t most) {
    const std::uint8_t read = in_.byte();
    if (read < least || read > most) in_.fail(DataErrc::malformed);
    value = static_cast<T>(in_.ok() ? read : least);
  }
  /// 16 bytes.
  void key(Key& key) {
    const ByteView bytes = in_.take(16);
    if (bytes.empty()) return;
    key = {bus::load<std::uint64_t>(bytes.data()), bus::load<std::uint64_t>(bytes.data() + 8)};
  }
  /// too_large beyond `most` bytes.
  void text(std::string& text, std::size_t most) {
    const std::string_view read = in_.text();
    if (read.size() > most) return in_.fail(DataErrc::too_large);
    text = read;
  }
  /// As text().
  void bytes(Bytes& bytes, std::size_t most) {
    const ByteView read = bus::as_bytes(in_.text());
    if (read.size() > most) return in_.fail(DataErrc::too_large);
    bytes.assign(read.begin(), read.end());
  }
  /// See FieldWriter.
  static constexpr bool kReads = true;
  /// too_large beyond `most` elements, each of which takes a byte or more.
  std::size_t count(std::size_t, std::size_t most) {
    const std::size_t size = in_.count();
    if (size > most) return in_.fail(DataErrc::too_large), 0;
    return size;
  }

 private:
  Decoder& in_;
};

/// No bound.
inline constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};
/// The longest name of a channel.
inline constexpr std::size_t kChannelBytes = 255;

// A list of the fields of each type; V is a value that is written (const) or read.
template <class A, class V>
void pair_of(A& a, V& v) {
  a.number(v.epoch, kAnyNumber);
  a.number(v.counter, kAnyNumber);
}
template <class A, class V>
void process_of(A& a, V& v) {
  a.number(v.host, 0xffff'ffff);
  a.number(v.slot, 0xffff'ffff);
  a.number(v.incarnation, kAnyNumber);
}
template <class A, class V>
void gate_of(A& a, V& v) {
  a.text(v.channel, kChannelBytes);
  process_of(a, v.process);
}
template <class A, class V, class Each>
void list_of(A& a, V& v, std::size_t most, Each each) {
  const std::size_t count = a.count(v.size(), most);
  if constexpr (A::kReads) v.resize(count);
  for (auto& value : v) each(value);
}
template <class A, class V>
void closing_of(A& a, V& v) {
  a.number(v.login, kAnyNumber);
  a.number(v.up_done, kAnyNumber);
  pair_of(a, v.since);
  list_of(a, v.open, kRequestsOpen, [&](auto& u) { a.number(u, kAnyNumber); });
}
template <class A, class V, class Each>
void optional_of(A& a, V& v, Each each) {
  if constexpr (A::kReads) {
    std::uint8_t has = 0;
    a.byte(has, 0, 1);
    if (has == 0) return v.reset();
    each(v.emplace());
  } else {
    a.byte(static_cast<std::uint8_t>(v ? 1 : 0), 0, 1);
    if (v) each(*v);
  }
}
template <class A, class V>
void reason_of(A& a, V& v) {
  if constexpr (A::kReads) {
    a.byte(v, 1, static_cast<std::uint8_t>(Reason::fault));
  } else {
    a.byte(static_cast<std::uint8_t>(v), 1, 0);
  }
}

}  // namespace starbus::entity::sessions
