/// The unit that a link carries: a fixed header, then records.
///
///   offset size  field
///        0    2  magic      0x5342, "BS" in memory
///        2    1  major      protocol version; a different major ends the session
///        3    1  minor      one up or down interoperates
///        4    4  length     of the whole bundle, header included
///        8    8  session    random, chosen by the connecting side; foreign bundles are discarded
///       16    8  number     +1 per bundle of a session and direction, from 1
///       24    8  consumed   total bytes of bundles that this side has taken from the link so far
///       32    -  records: {u32 length of what follows, u8 kind, payload}
///
/// All integers are little-endian.
#pragma once

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

/// As in the table above: "BS" in memory, and the bytes before the first record.
inline constexpr std::uint16_t kMagic = 0x5342;
inline constexpr std::size_t kBundleHeaderSize = 32;

/// The fields of the header but its magic; `length` is of the whole bundle, in bytes.
struct BundleHeader {
  std::uint8_t major = kVersionMajor;
  std::uint8_t minor = kVersionMinor;
  std::uint32_t length = 0;
  std::uint64_t session = 0;
  std::uint64_t number = 0;
  std::uint64_t consumed = 0;
};

/// bad_bytes: too short, wrong magic, a length outside [header, kMaxBundle] or unlike the span's;
/// version_mismatch: a different major.
Result<BundleHeader> decode_bundle_header(ByteView bundle);

/// The length of a bundle, which a stream needs to find its end, from at least the first 8 bytes.
/// bad_bytes and version_mismatch as above.
Result<std::uint32_t> peek_bundle_length(ByteView start);

/// Writes the header over the first kBundleHeaderSize bytes of `bundle` (which must exist);
/// `length` becomes bundle.size().
void seal_bundle(Bytes& bundle, std::uint64_t session, std::uint64_t number,
                 std::uint64_t consumed);

}  // namespace starbus::bus
