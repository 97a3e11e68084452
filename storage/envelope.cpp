#include "storage/envelope.hpp"

#include <cstdint>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"

namespace starbus::storage {
namespace {

constexpr char kPlain = 1;  // the only format so far: the value as it is
constexpr std::size_t kCrc = 4;

std::uint32_t checksum(std::string_view key, std::string_view format_and_value) {
  return crc32c(crc32c(0, key), format_and_value);
}

}  // namespace

void seal(std::string_view key, std::string_view value, std::string& out) {
  const std::uint32_t crc = crc32c(crc32c(crc32c(0, key), {&kPlain, 1}), value);
  append_little(out, crc, kCrc);
  out += kPlain;
  out += value;
}

Result<std::string_view> unseal(std::string_view key, std::string_view sealed) {
  const auto corrupt = [&](const char* what) {
    return Error(Errc::corrupt, printable(key) + ": " + what, std::string(key));
  };
  if (sealed.size() < kEnvelope) return corrupt("shorter than its envelope");
  const std::uint32_t crc = load<std::uint32_t>(sealed, 0);
  // First the checksum: only a format byte that it vouches for means a newer version.
  if (crc != checksum(key, sealed.substr(kCrc))) return corrupt("checksum mismatch");
  if (sealed[kCrc] != kPlain) {
    return Error(Errc::newer_format,
                 printable(key) + ": value format " + std::to_string(sealed[kCrc]));
  }
  return sealed.substr(kEnvelope);
}

}  // namespace starbus::storage
