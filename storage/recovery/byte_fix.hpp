/// One wrong byte, found by the checksum beside it. A CRC is linear: what a wrong byte does to it
/// depends on that byte's place and on nothing else, so the difference between the checksum that is
/// there and the one that should be names the place. One flipped bit, or up to eight within a byte,
/// is what memory and disks do to files mostly; more is never taken for it but by chance (one in
/// 2^32 for each place and pattern), so whoever uses this looks at what comes out. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

struct WrongByte {
  std::size_t at = 0;
  unsigned char flipped = 0;  // its bits that are
};

/// The one byte of `data` that makes its CRC-32C `crc`; no value: none does.
std::optional<WrongByte> find_wrong_byte(std::string_view data, std::uint32_t crc);

/// bytes[from, to) has its masked checksum at `crc_at`. True: it is right, after one byte of either
/// was corrected in place if need be; `corrected` is then where that byte is.
bool fix_byte(std::string& bytes, std::size_t from, std::size_t to, std::size_t crc_at,
              std::optional<std::size_t>& corrected);

}  // namespace starbus::storage
