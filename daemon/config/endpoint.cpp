#include "daemon/config/endpoint.hpp"

#include "base/numbers.hpp"

namespace starbus::daemon {

std::string Endpoint::to_string() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const Error bad(bus::Errc::bad_config, std::string("'").append(text).append(
                                             "' is not an endpoint such as 127.0.0.1:9321"));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad;  // an IPv6 address without brackets: its last part is not a port
  }
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (host.empty() || !port) return bad;
  return Endpoint{std::string(host), *port};
}

}  // namespace starbus::daemon
