/// The envelope before each value on the disk: CRC32C (4 bytes, little-endian), then a format byte.
///
/// The CRC covers the key, the format byte and the value, from the moment a batch is filled to the
/// moment a reader has it. LevelDB's own checksums begin when a block is written, and a compaction
/// that merges damaged memory gives it a fresh one; and they do not know which key a value was for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/error.hpp"

namespace starbus::storage {

/// Bytes of the envelope.
inline constexpr std::size_t kEnvelope = 5;

/// Appends the envelope and the value to `out`.
void seal(std::string_view key, std::string_view value, std::string& out);

/// The value within `sealed`, which it points into. Errc::corrupt names the key; a format byte that
/// this version does not know is Errc::newer_format.
Result<std::string_view> unseal(std::string_view key, std::string_view sealed);

}  // namespace starbus::storage
