/// Lines of bits, one for each row or column of a grid: 1 is what cannot be passed, and all that
/// lies around a line, too. Read 57 cells at a time from any cell on, in both directions. Owns its
/// memory; any number of threads may read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace starbus::nav::grid {

static_assert(std::endian::native == std::endian::little,
              "words are read from the middle of bytes");

class BitLines {
 public:
  BitLines() = default;
  /// All cells blocked. Lines -1 and `lines` exist, and are.
  BitLines(std::uint32_t lines, std::uint32_t length)
      : bytes_((length + 7) / 8 + 2 * kMargin),
        bits_(static_cast<std::size_t>(lines + 2) * bytes_, 0xff) {}

  /// A cell of a line, which must be one of these.
  void set(std::uint32_t line, std::uint32_t at, bool blocked) {
    std::uint8_t& byte = bits_[start(line) + kMargin + at / 8];
    const auto bit = static_cast<std::uint8_t>(1u << at % 8);
    byte = static_cast<std::uint8_t>(blocked ? byte | bit : byte & ~bit);
  }
  /// Likewise.
  bool blocked(std::uint32_t line, std::uint32_t at) const {
    return (bits_[start(line) + kMargin + at / 8] >> at % 8 & 1) != 0;
  }

  /// A line for the functions below; -1 is the one before the first.
  const std::uint8_t* line(std::int64_t number) const {
    return bits_.data() + static_cast<std::size_t>(number + 1) * bytes_ + kMargin;
  }
  /// Bit 0 is cell `at`, bit 56 the last one that counts. -8 <= at <= length + 8.
  static std::uint64_t onwards(const std::uint8_t* line, std::int32_t at) {
    return word(line + (at >> 3)) >> (at & 7);
  }
  /// Bit 63 is cell `at`, bit 7 the last one that counts.
  static std::uint64_t back(const std::uint8_t* line, std::int32_t at) {
    return word(line + (at >> 3) - 7) << (7 - (at & 7));
  }

 private:
  static constexpr std::uint32_t kMargin = 16;  ///< bytes of ones on both sides

  static std::uint64_t word(const std::uint8_t* bytes) {
    std::uint64_t of;
    std::memcpy(&of, bytes, sizeof of);
    return of;
  }
  std::size_t start(std::uint32_t line) const {
    return (static_cast<std::size_t>(line) + 1) * bytes_;
  }

  std::size_t bytes_ = 0;  ///< of one line with its margins
  std::vector<std::uint8_t> bits_;
};

}  // namespace starbus::nav::grid
