#include "tools/bots/gate_url.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <string_view>

#include "clients/cpp/resolver.hpp"

namespace starbus::bots {

std::optional<GateUrl> read_gate_url(const std::string& text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string::npos) return std::nullopt;
  const std::string scheme = text.substr(0, colon);
  std::string rest = text.substr(colon + 3);
  GateUrl url;
  url.tls = scheme == "tls" || scheme == "wss";
  const std::size_t slash = rest.find('/');
  if (scheme == "ws" || scheme == "wss") {
    url.web_socket = slash == std::string::npos ? "/" : rest.substr(slash);
    if (url.web_socket->find_first_of(" \r\n\t") != std::string::npos) return std::nullopt;
    rest.resize(std::min(slash, rest.size()));
  } else if ((scheme != "tcp" && scheme != "tls") || slash != std::string::npos) {
    return std::nullopt;
  }
  if (!game::address_of(rest)) return std::nullopt;
  url.address = rest;
  return url;
}

std::string Sources::at(std::uint64_t number) const {
  in_addr address{};
  address.s_addr = htonl(first + static_cast<std::uint32_t>(number % count));
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

std::optional<Sources> read_sources(const std::string& text) {
  const std::size_t slash = text.find('/');
  in_addr address{};
  if (inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1) return std::nullopt;
  unsigned bits = 32;
  if (slash != std::string::npos) {
    const std::string_view size = std::string_view(text).substr(slash + 1);
    const auto read = std::from_chars(size.data(), size.data() + size.size(), bits);
    if (read.ec != std::errc() || read.ptr != size.data() + size.size()) return std::nullopt;
    if (bits < 8 || bits > 30) return std::nullopt;
  }
  const std::uint32_t own = ntohl(address.s_addr);
  if (bits == 32) return Sources{own, 1};
  const std::uint32_t hosts = std::uint32_t{1} << (32 - bits);
  return Sources{(own & ~(hosts - 1)) + 1, hosts - 2};
}

}  // namespace starbus::bots
