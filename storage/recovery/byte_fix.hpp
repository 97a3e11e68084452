/// Finds one wrong byte by the checksum beside it. A CRC is linear: the effect of a wrong byte
/// depends only on its place and its flipped bits, so the difference between the stored and the
/// computed checksum gives the place. Memory and disks mostly flip one bit, or several within a
/// byte. Larger damage looks the same only by chance (one in 2^32 for each place and pattern), so
/// check the result. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

/// A wrong byte: its offset, and the bits to turn.
struct WrongByte {
  std::size_t at = 0;
  unsigned char flipped = 0;  // its bits that are
};

/// The one byte of `data` whose correction gives the CRC-32C `crc`; nullopt if there is none.
std::optional<WrongByte> find_wrong_byte(std::string_view data, std::uint32_t crc);

/// Checks bytes[from, to) against its masked checksum at `crc_at`. Corrects one byte of either in
/// place if need be, and sets `corrected` to its offset. False if that is not enough.
bool fix_byte(std::string& bytes, std::size_t from, std::size_t to, std::size_t crc_at,
              std::optional<std::size_t>& corrected);

}  // namespace starbus::storage
