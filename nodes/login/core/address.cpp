#include "nodes/login/core/address.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>

namespace starbus::nodes::login {
namespace {

constexpr unsigned kV4Bits = 96;
constexpr std::uint64_t kV4Prefix = 0xffff'0000'0000ULL;

Error bad_address(std::string_view text) {
  return {Errc::bad_address, "address: '" + std::string(text.substr(0, 64)) +
                                 "' is none; give 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"};
}

std::uint64_t mask(unsigned bits) {
  return bits == 0 ? 0 : ~std::uint64_t{0} << (64 - bits);
}
std::uint64_t big_endian(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = (value << 8) | bytes[i];
  return value;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN + 1> line{};
  if (text.size() >= line.size() || text.find('\0') != std::string_view::npos) {
    return bad_address(text);
  }
  text.copy(line.data(), text.size());
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, line.data(), bytes.data()) == 1) {
    return Address{0, kV4Prefix | (big_endian(bytes.data()) >> 32)};
  }
  if (::inet_pton(AF_INET6, line.data(), bytes.data()) == 1) {
    return Address{big_endian(bytes.data()), big_endian(bytes.data() + 8)};
  }
  return bad_address(text);
}

Result<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return address.error();
  if (slash == std::string_view::npos) return Network{*address, 128};
  const std::string_view length = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, failure] = std::from_chars(length.data(), length.data() + length.size(), bits);
  const unsigned most = address->is_v4() ? 32 : 128;
  if (failure != std::errc() || end != length.data() + length.size() || bits > most) {
    return bad_address(text);
  }
  const Network network = network_of(*address, bits + (address->is_v4() ? kV4Bits : 0));
  if (network.first != *address) return bad_address(text);
  return network;
}

std::string to_text(const Network& network) {
  std::array<unsigned char, 16> bytes{};
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(network.first.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<unsigned char>(network.first.low >> (56 - 8 * i));
  }
  const bool v4 = network.first.is_v4() && network.bits >= kV4Bits;
  std::array<char, INET6_ADDRSTRLEN> line{};
  if (v4) {
    ::inet_ntop(AF_INET, bytes.data() + 12, line.data(), line.size());
  } else {
    ::inet_ntop(AF_INET6, bytes.data(), line.data(), line.size());
  }
  if (network.bits == 128) return line.data();
  return line.data() + ("/" + std::to_string(network.bits - (v4 ? kV4Bits : 0)));
}

Network network_of(const Address& address, unsigned bits) {
  const unsigned high = bits < 64 ? bits : 64;
  const unsigned low = bits < 64 ? 0 : bits - 64;
  return {{address.high & mask(high), address.low & mask(low)}, bits};
}

Network near_of(const Address& address) {
  return network_of(address, address.is_v4() ? 128 : 64);
}

Network wide_of(const Address& address) {
  return network_of(address, address.is_v4() ? kV4Bits + 24 : 48);
}

}  // namespace starbus::nodes::login
