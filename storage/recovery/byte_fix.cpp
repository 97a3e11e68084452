#include "storage/recovery/byte_fix.hpp"

#include <array>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "storage/check/log_format.hpp"

namespace starbus::storage {
namespace {

/// Tables of the CRC's register, reflected: the effect of each byte on it, and the byte that a
/// register's highest byte shows.
struct Tables {
  std::array<std::uint32_t, 256> forward{};
  std::array<std::uint8_t, 256> by_high_byte{};

  constexpr Tables() {
    constexpr std::uint32_t kPolynomial = 0x82f63b78U;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
      forward[byte] = crc;
      by_high_byte[crc >> 24] = static_cast<std::uint8_t>(byte);
    }
  }
};
constexpr Tables kTables;

}  // namespace

std::optional<WrongByte> find_wrong_byte(std::string_view data, std::uint32_t crc) {
  // The difference, stepped back byte by byte, as if the bytes after the wrong one were not there.
  std::uint32_t difference = crc32c(0, data) ^ crc;
  if (difference == 0) return std::nullopt;
  for (std::size_t at = data.size(); at-- > 0;) {
    const std::uint8_t byte = kTables.by_high_byte[difference >> 24];
    if (kTables.forward[byte] == difference) return WrongByte{at, byte};
    difference = (difference ^ kTables.forward[byte]) << 8 | byte;
  }
  return std::nullopt;
}

bool fix_byte(std::string& bytes, std::size_t from, std::size_t to, std::size_t crc_at,
              std::optional<std::size_t>& corrected) {
  corrected.reset();
  const std::string_view data = std::string_view(bytes).substr(from, to - from);
  const std::uint32_t stored = load<std::uint32_t>(bytes, crc_at);
  const std::uint32_t right = masked(crc32c(0, data));
  if (stored == right) return true;
  for (unsigned i = 0; i < 4; ++i) {
    if (((stored ^ right) & ~(0xffU << (8 * i))) != 0) continue;
    corrected = crc_at + i;
    bytes[*corrected] = static_cast<char>(right >> (8 * i));
    return true;
  }
  const auto wrong = find_wrong_byte(data, unmasked(stored));
  if (!wrong) return false;
  corrected = from + wrong->at;
  bytes[*corrected] = static_cast<char>(bytes[*corrected] ^ wrong->flipped);
  return true;
}

}  // namespace starbus::storage
