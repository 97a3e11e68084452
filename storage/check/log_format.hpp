/// The layout of LevelDB's logs and manifests. A file is blocks of 32 KiB of fragments: checksum
/// (4 bytes, little-endian, masked, of the kind and the bytes), length (2), kind (1), bytes. A
/// fragment does not cross the end of a block; fewer bytes than a head at the end of one are zeros.
/// A record is one whole fragment, or a first one, any number of middle ones and a last one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starbus::storage {

/// Bytes of a block, and of the head of a fragment.
inline constexpr std::size_t kLogBlock = 32 * 1024;
inline constexpr std::size_t kFragmentHead = 7;
inline constexpr std::size_t kLengthAt = 4;  // offsets in the head
inline constexpr std::size_t kKindAt = 6;
enum FragmentKind : unsigned char { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

/// The constant that LevelDB adds to a rotated CRC.
inline constexpr std::uint32_t kMaskDelta = 0xa282ead8U;
/// The form in which LevelDB stores a CRC: the CRC of data that contains CRCs is of little use.
constexpr std::uint32_t masked(std::uint32_t crc) {
  return std::rotr(crc, 15) + kMaskDelta;
}
constexpr std::uint32_t unmasked(std::uint32_t crc) {
  return std::rotl(crc - kMaskDelta, 15);
}

}  // namespace starbus::storage
