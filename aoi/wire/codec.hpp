/// Little-endian bytes for what leaves the process. The reader never trusts a length: past the end
/// it returns zeros, and good() returns false, so that a decoder has one check to make. Owns
/// nothing but the written bytes; one thread.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/little_endian.hpp"

namespace starbus::aoi {

class Writer {
 public:
  /// Appends a little-endian number.
  template <std::unsigned_integral T>
  void number(T value) {
    append_little(bytes_, value, sizeof value);
  }
  void real(float value) { number(std::bit_cast<std::uint32_t>(value)); }
  std::string take() { return std::exchange(bytes_, {}); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads a view of bytes, which must outlive it.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  /// The next little-endian number; 0 past the end.
  template <std::unsigned_integral T>
  T number() {
    if (bytes_.size() < sizeof(T)) {
      bytes_ = {};
      good_ = false;
      return 0;
    }
    const T value = starbus::load<T>(bytes_, 0);
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  float real() { return std::bit_cast<float>(number<std::uint32_t>()); }
  std::size_t left() const { return bytes_.size(); }
  bool good() const { return good_; }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace starbus::aoi
