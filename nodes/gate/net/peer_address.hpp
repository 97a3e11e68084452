#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bus/core/bytes.hpp"

namespace starbus::nodes::gate::net {

/// Where a client connects from. IPv4 that a socket reports as mapped IPv6 is IPv4 here. A plain
/// value.
struct PeerAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  // in the order of the wire; IPv4: the first four
  std::uint16_t port = 0;

  /// As far as a peer cannot choose it at will: an IPv4 address, or the first 64 bits of an IPv6
  /// address. IPv4 has numbers that no routed IPv6 network has.
  std::uint64_t source() const;
  /// Without the port: "192.0.2.7", "2001:db8::1".
  std::string host() const;
  /// "192.0.2.7:4711", "[2001:db8::1]:4711".
  std::string to_string() const;
  friend bool operator==(const PeerAddress&, const PeerAddress&) = default;
};

/// The address in network byte order: 4 or 16 bytes. nullopt for any other size.
std::optional<PeerAddress> address_of(bus::ByteView bytes, std::uint16_t port);
/// nullopt for what is neither IPv4 nor IPv6.
std::optional<PeerAddress> address_of(const sockaddr_storage& address);
/// "0.0.0.0:7001", "[::]:7001": numbers alone. nullopt for anything else.
std::optional<PeerAddress> parse_address(const std::string& text);
/// The form that the system's calls take; returns its size.
socklen_t to_system(const PeerAddress& address, sockaddr_storage& out);

}  // namespace starbus::nodes::gate::net
