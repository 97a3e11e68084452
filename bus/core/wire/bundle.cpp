#include "bus/core/wire/bundle.hpp"

#include <cassert>

namespace starbus::bus {

Result<std::uint32_t> peek_bundle_length(ByteView start) {
  Reader reader(start);
  const auto magic = reader.get<std::uint16_t>();
  const auto major = reader.get<std::uint8_t>();
  reader.get<std::uint8_t>();  // minor: any; negotiated by HELLO
  const auto length = reader.get<std::uint32_t>();
  if (!reader.ok() || magic != kMagic) return Error{Errc::bad_bytes, "not a bundle"};
  if (major != kVersionMajor) {
    return Error{Errc::version_mismatch, "peer speaks major version " + std::to_string(major)};
  }
  if (length < kBundleHeaderSize || length > kMaxBundle) {
    return Error{Errc::bad_bytes, "bundle length " + std::to_string(length)};
  }
  return length;
}

Result<BundleHeader> decode_bundle_header(ByteView bundle) {
  const auto length = peek_bundle_length(bundle);
  if (!length) return length.error();
  if (*length != bundle.size()) return Error{Errc::bad_bytes, "bundle length and size differ"};
  BundleHeader header;
  header.minor = load<std::uint8_t>(bundle.data() + 3);
  header.length = *length;
  header.session = load<std::uint64_t>(bundle.data() + 8);
  header.number = load<std::uint64_t>(bundle.data() + 16);
  header.consumed = load<std::uint64_t>(bundle.data() + 24);
  return header;
}

void seal_bundle(Bytes& bundle, std::uint64_t session, std::uint64_t number,
                 std::uint64_t consumed) {
  assert(bundle.size() >= kBundleHeaderSize && bundle.size() <= kMaxBundle);
  store(bundle.data(), kMagic);
  store(bundle.data() + 2, kVersionMajor);
  store(bundle.data() + 3, kVersionMinor);
  store(bundle.data() + 4, static_cast<std::uint32_t>(bundle.size()));
  store(bundle.data() + 8, session);
  store(bundle.data() + 16, number);
  store(bundle.data() + 24, consumed);
}

}  // namespace starbus::bus
