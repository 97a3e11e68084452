#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"
#include "entity/archive/limits.hpp"

namespace starbus::entity {

using bus::Bytes;
using bus::ByteView;

/// Zigzag: small negative numbers become small positive ones.
template <std::signed_integral T>
constexpr std::uint64_t zigzag(T value) {
  const auto wide = static_cast<std::int64_t>(value);
  return (static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

/// LEB128, as protobuf's varint: seven bits a byte, least significant first. Writes at most
/// kMaxVarint bytes to `to` and returns how many.
inline constexpr std::size_t kMaxVarint = 10;
inline std::size_t store_varint(std::byte* to, std::uint64_t value) {
  std::size_t size = 0;
  while (value >= 0x80) {
    to[size++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  to[size++] = static_cast<std::byte>(value);
  return size;
}

/// Types that Encoder::number and Decoder::number take.
template <class T>
concept Number = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, long double>;

/// At most kMaxVarint bytes.
template <Number T>
std::size_t store_number(std::byte* to, T value) {
  if constexpr (std::is_enum_v<T>) {
    return store_number(to, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    *to = value ? std::byte{1} : std::byte{0};
    return 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    std::memcpy(to, &value,
                sizeof value);  // little_endian.hpp asserts that memory is little-endian
    return sizeof value;
  } else if constexpr (sizeof(T) == 1) {
    *to = static_cast<std::byte>(value);
    return 1;
  } else if constexpr (std::is_signed_v<T>) {
    return store_varint(to, zigzag(value));
  } else {
    return store_varint(to, value);
  }
}

/// Appends to a vector that it does not own, up to a limit. After the first failure it stays failed
/// and writes nothing more, so that a caller asks once. Used by one thread.
class Encoder {
 public:
  explicit Encoder(Bytes& out, std::size_t limit = kArchiveBytes)
      : out_(out), begin_(out.size()), limit_(limit) {}

  /// Appends one value; beyond the limit too_large, and nothing more is written.
  template <Number T>
  void number(T value) {
    std::byte bytes[kMaxVarint] = {};  // g++ 12 warns that unwritten bytes are read
    raw(bytes, store_number(bytes, value));
  }
  void varint(std::uint64_t value) {
    std::byte bytes[kMaxVarint] = {};  // g++ 12 warns that unwritten bytes are read
    raw(bytes, store_varint(bytes, value));
  }
  void byte(std::uint8_t value) {
    const auto byte = static_cast<std::byte>(value);
    raw(&byte, 1);
  }
  /// A varint of the size, then the bytes.
  void text(std::string_view text) {
    varint(text.size());
    raw(reinterpret_cast<const std::byte*>(text.data()), text.size());
  }
  void raw(const std::byte* bytes, std::size_t size) {
    if (size > limit_ - written()) fail(DataErrc::too_large);
    if (error_ != DataErrc::ok) return;
    out_.insert(out_.end(), bytes, bytes + size);
  }

  /// The first failure counts.
  void fail(DataErrc code) {
    if (error_ == DataErrc::ok) error_ = code;
  }
  bool ok() const { return error_ == DataErrc::ok; }
  DataErrc error() const { return error_; }
  /// Bytes since construction.
  std::size_t written() const { return out_.size() - begin_; }
  /// Drops everything written since `written()` was `size`, and a failure with it.
  void rewind(std::size_t size) {
    out_.resize(begin_ + size);
    error_ = DataErrc::ok;
  }
  Bytes& out() { return out_; }

 private:
  Bytes& out_;
  std::size_t begin_;
  std::size_t limit_;
  DataErrc error_ = DataErrc::ok;
};

}  // namespace starbus::entity
