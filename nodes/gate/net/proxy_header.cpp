#include "nodes/gate/net/proxy_header.hpp"

#include <algorithm>

#include "nodes/gate/net/limits.hpp"

namespace starbus::nodes::gate::net {
namespace {

constexpr std::string_view kSignature{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::uint8_t kLocal = 0x20;  // version 2 in the upper half
constexpr std::uint8_t kProxied = 0x21;
// Family in the upper half, kind of socket in the lower one.
constexpr std::uint8_t kUnspecified = 0x00;
constexpr std::uint8_t kTcp4 = 0x11;
constexpr std::uint8_t kTcp6 = 0x21;

constexpr ProxyHeader kMalformedHeader{ProxyHeader::State::malformed, 0, {}};

std::uint16_t big_endian(bus::ByteView bytes) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8U |
                                    std::to_integer<unsigned>(bytes[1]));
}

/// Source and target address, then their ports.
ProxyHeader proxied(bus::ByteView addresses, std::size_t each, std::size_t size) {
  if (addresses.size() < 2 * each + 4) return kMalformedHeader;
  const std::uint16_t port = big_endian(addresses.subspan(2 * each));
  return {ProxyHeader::State::whole, size, address_of(addresses.first(each), port)};
}

}  // namespace

ProxyHeader read_proxy_header(bus::ByteView bytes) {
  const std::size_t seen = std::min(bytes.size(), kSignature.size());
  if (!std::ranges::equal(bytes.first(seen), bus::as_bytes(kSignature).first(seen))) {
    return kMalformedHeader;
  }
  if (bytes.size() < kProxyHead) return {};
  const auto command = std::to_integer<std::uint8_t>(bytes[12]);
  const auto family = std::to_integer<std::uint8_t>(bytes[13]);
  const std::size_t size = kProxyHead + big_endian(bytes.subspan(14));
  if ((command != kLocal && command != kProxied) || size > kProxyBytes) return kMalformedHeader;
  if (bytes.size() < size) return {ProxyHeader::State::more, size, {}};
  const bus::ByteView addresses = bytes.subspan(kProxyHead, size - kProxyHead);
  if (command == kLocal || family == kUnspecified) return {ProxyHeader::State::whole, size, {}};
  if (family == kTcp4) return proxied(addresses, 4, size);
  if (family == kTcp6) return proxied(addresses, 16, size);
  return kMalformedHeader;
}

}  // namespace starbus::nodes::gate::net
