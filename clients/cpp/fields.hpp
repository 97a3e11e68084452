/// How the fields of frames are written and read. Reading trusts nothing: after the first refusal
/// it stays refused and gives zeros, so that a decoder asks once. Values; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::game {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// The same bytes under another type; nothing is copied.
inline ByteView bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
/// As bytes_of(), the other way.
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Why bytes are not what they should be.
enum class Refusal : std::uint8_t {
  none,
  malformed,
  truncated,
  trailing,
  too_large,
  newer_format,  ///< of moves, or of sight
};
std::string_view name_of(Refusal refusal);

/// A value that was read, or why not.
template <class T>
struct Read {
  T value{};
  Refusal refusal = Refusal::none;
  explicit operator bool() const { return refusal == Refusal::none; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

/// 16 bytes that a client keeps and shows: the id of a session, or its token.
struct Key {
  std::uint8_t bytes[16] = {};
  friend bool operator==(const Key&, const Key&) = default;
};

/// Epoch and counter; compared in this order. A higher bind is a later one.
struct Bind {
  std::uint64_t epoch = 0;
  std::uint64_t counter = 0;
  friend auto operator<=>(const Bind&, const Bind&) = default;
};

/// Appends fields to bytes that it does not own.
class FieldWriter {
 public:
  explicit FieldWriter(Bytes& out) : out_(out) {}
  /// Each appends one field, as the page of the protocol has it.
  void byte(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  void number(std::uint64_t value);
  void pair(const Bind& bind);
  void key(const Key& key);
  void bytes(ByteView bytes);
  void text(std::string_view text) { bytes(bytes_of(text)); }
  /// Four bytes, little-endian.
  void word(std::uint32_t value);

 private:
  Bytes& out_;
};

/// Reads fields of bytes that it does not own.
class FieldReader {
 public:
  explicit FieldReader(ByteView bytes) : rest_(bytes) {}

  /// truncated if there is none.
  std::uint8_t byte();
  /// malformed outside of the bounds.
  std::uint8_t byte(std::uint8_t least, std::uint8_t most);
  bool flag() { return byte(0, 1) == 1; }
  /// malformed above `most`, or in a longer form than needed.
  std::uint64_t number(std::uint64_t most = ~std::uint64_t{0});
  std::uint16_t number16() { return static_cast<std::uint16_t>(number(0xffff)); }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number(0xffff'ffff)); }
  /// Four bytes, little-endian.
  std::uint32_t word();
  Bind pair();
  Key key();
  /// A view; too_large above `most` bytes.
  ByteView bytes(std::size_t most);
  /// As bytes(), and UTF-8.
  std::string text(std::size_t most);
  /// The number of elements, of a byte or more each; too_large above `most`.
  std::size_t count(std::size_t most);
  /// All that is left; too_large above `most` bytes.
  ByteView rest(std::size_t most);

  /// Bytes that are left.
  std::size_t left() const { return rest_.size(); }
  /// truncated if there are fewer.
  void skip(std::size_t size) { take(size); }

  /// The first refusal counts.
  void refuse(Refusal why);
  bool ok() const { return refusal_ == Refusal::none; }
  /// none, or `trailing` if bytes are left.
  Refusal finish();

 private:
  ByteView take(std::size_t size);
  std::size_t size_left();

  ByteView rest_;
  Refusal refusal_ = Refusal::none;
};

/// Whether the text is well-formed UTF-8: no surrogates, no longer forms than needed.
bool is_utf8(std::string_view text);

}  // namespace starbus::game
