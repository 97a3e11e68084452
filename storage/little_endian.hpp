#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::storage {

/// How LevelDB and our own rows have numbers of a fixed size. `bytes` has that many from `at` on.
inline std::uint64_t load_little(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

/// A checksum: four bytes.
inline std::uint32_t load_word(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(load_little(bytes, at, sizeof(std::uint32_t)));
}

/// Behind what is in `out`.
inline void put_little(std::string& out, std::uint64_t number, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(number >> (8 * i));
}

}  // namespace starbus::storage
