/// Addresses of clients and networks of them. Plain values and pure functions; any thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "nodes/login/error.hpp"

namespace starbus::nodes::login {

/// Milliseconds of a clock that never goes back.
using Time = std::chrono::milliseconds;

/// 128 bits, most significant first; IPv4 as ::ffff:a.b.c.d.
struct Address {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool is_v4() const { return high == 0 && (low >> 32) == 0xffff; }
  friend auto operator<=>(const Address&, const Address&) = default;
};

/// All addresses that begin with the same bits (96 more for IPv4).
struct Network {
  Address first{};
  unsigned bits = 128;  // 0..128
  friend auto operator<=>(const Network&, const Network&) = default;
};

/// "192.0.2.7", "2001:db8::1". Errors: bad_address.
Result<Address> parse_address(std::string_view text);
/// "192.0.2.0/24", "2001:db8::/32", or one address. Errors: bad_address, also if bits are set
/// behind the network's.
Result<Network> parse_network(std::string_view text);
/// As parse_network() takes it.
std::string to_text(const Network& network);

Network network_of(const Address& address, unsigned bits);
/// What one client has: the address itself, of IPv6 its /64.
Network near_of(const Address& address);
/// What one customer of a provider can have: a /24 of IPv4, a /48 of IPv6.
Network wide_of(const Address& address);

}  // namespace starbus::nodes::login
