#include "nodes/gate/net/peer_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "daemon/config/endpoint.hpp"

namespace starbus::nodes::gate::net {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::uint64_t PeerAddress::source() const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < (v6 ? 8U : 4U); ++i) number = number << 8U | bytes[i];
  return number;
}

std::string PeerAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
  return text.data();
}

std::string PeerAddress::to_string() const {
  return (v6 ? "[" + host() + "]" : host()) + ":" + std::to_string(port);
}

std::optional<PeerAddress> address_of(bus::ByteView bytes, std::uint16_t port) {
  if (bytes.size() != 4 && bytes.size() != 16) return std::nullopt;
  PeerAddress address;
  address.port = port;
  address.v6 = bytes.size() == 16;
  std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
  if (address.v6 && std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) {
    return address_of(bytes.subspan(kMapped.size()), port);
  }
  return address;
}

std::optional<PeerAddress> address_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return address_of(std::as_bytes(std::span(&v4.sin_addr, 1)), ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    return address_of(std::as_bytes(std::span(&v6.sin6_addr, 1)), ntohs(v6.sin6_port));
  }
  return std::nullopt;
}

std::optional<PeerAddress> parse_address(const std::string& text) {
  const auto endpoint = daemon::parse_endpoint(text);
  if (!endpoint) return std::nullopt;
  PeerAddress address;
  address.port = endpoint->port;
  if (::inet_pton(AF_INET, endpoint->host.c_str(), address.bytes.data()) == 1) return address;
  address.v6 = true;
  if (::inet_pton(AF_INET6, endpoint->host.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

socklen_t to_system(const PeerAddress& address, sockaddr_storage& out) {
  out = {};
  if (!address.v6) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&out, &v4, sizeof v4);
    return sizeof v4;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
  std::memcpy(&out, &v6, sizeof v6);
  return sizeof v6;
}

}  // namespace starbus::nodes::gate::net
