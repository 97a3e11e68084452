/// Little-endian reading and writing of untrusted bytes.
///
/// `Reader` never reads past its end: after the first failed read it stays failed and returns
/// zeros, so a decoder reads all its fields and asks `ok()` once. Lengths are checked against what
/// is left before anything is allocated. `Writer` appends to a vector that it does not own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/little_endian.hpp"

namespace starbus::bus {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

using starbus::load;
using starbus::store;

/// The same bytes under another type; nothing is copied.
inline ByteView as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads a view of bytes, which must outlive it. A plain value: one thread at a time.
class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}

  /// The next little-endian number; 0 after a failure.
  template <std::unsigned_integral T>
  T get() {
    if (rest_.size() < sizeof(T)) {
      fail();
      return 0;
    }
    const T value = load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  /// The next `size` bytes, without copying; empty after a failure.
  ByteView take(std::size_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const ByteView taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  /// Text of at most 255 bytes after one length byte.
  std::string_view short_text() { return as_text(take(get<std::uint8_t>())); }
  /// Bytes after a 32-bit length.
  ByteView long_bytes() { return take(get<std::uint32_t>()); }
  ByteView rest() const { return rest_; }

  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }
  /// Everything was read and nothing was missing.
  bool done() const { return ok_ && rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  ByteView rest_;
  bool ok_ = true;
};

/// Appends to a vector of bytes, which must outlive it. A plain value: one thread at a time.
class Writer {
 public:
  explicit Writer(Bytes& out) : out_(out) {}

  /// Appends a little-endian number.
  template <std::unsigned_integral T>
  void put(T value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof value);
    store(out_.data() + at, value);
  }
  void bytes(ByteView data) { out_.insert(out_.end(), data.begin(), data.end()); }
  /// `text` must be at most 255 bytes.
  void short_text(std::string_view text) {
    put(static_cast<std::uint8_t>(text.size()));
    bytes(as_bytes(text));
  }
  void long_bytes(ByteView data) {
    put(static_cast<std::uint32_t>(data.size()));
    bytes(data);
  }
  std::size_t size() const { return out_.size(); }
  Bytes& out() { return out_; }

 private:
  Bytes& out_;
};

}  // namespace starbus::bus
