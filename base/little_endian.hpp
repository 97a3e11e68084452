/// Little-endian numbers in bytes: what all wire and disk formats are made of. No function checks a
/// length: what reads untrusted bytes does so once for all its fields. Pure; any thread.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace starbus {

static_assert(std::endian::native == std::endian::little,
              "encode and decode copy integers as they lie in memory");

/// The number that begins at `from`, aligned or not. The caller has checked that sizeof(T) bytes
/// are there.
template <std::unsigned_integral T>
[[nodiscard]] inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
/// The number that begins at `at`; all of it must be within `bytes`.
template <std::unsigned_integral T>
[[nodiscard]] inline T load(std::string_view bytes, std::size_t at) {
  assert(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  return load<T>(reinterpret_cast<const std::byte*>(bytes.data()) + at);
}

/// Writes `value` to sizeof(T) bytes, aligned or not.
template <std::unsigned_integral T>
inline void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// The number that all of `bytes` are, 8 at most.
[[nodiscard]] inline std::uint64_t load_little(std::string_view bytes) {
  assert(bytes.size() <= sizeof(std::uint64_t));
  std::uint64_t number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}
/// Appends the number's `size` lowest bytes, 8 at most.
inline void append_little(std::string& out, std::uint64_t number, std::size_t size) {
  assert(size <= sizeof number);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, size);
}

}  // namespace starbus
