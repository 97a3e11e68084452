#include "bus/io/endpoint.hpp"

#include <sys/un.h>

#include <algorithm>

#include "base/numbers.hpp"

namespace starbus::bus::io {
namespace {

struct SchemeName {
  Scheme scheme;
  std::string_view prefix;
};
constexpr SchemeName kSchemes[] = {{Scheme::unix_socket, "unix://"},
                                   {Scheme::stream, "stream://"},
                                   {Scheme::ipc, "ipc://"},
                                   {Scheme::tcp, "tcp://"}};

// The kernel wants a closing zero in sun_path.
constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;

Error bad(std::string_view text, const std::string& why) {
  return Error{Errc::bad_config, "endpoint \"" + std::string(text) + "\": " + why};
}

Result<Endpoint> parse_path(Endpoint endpoint, std::string_view rest, std::string_view text) {
  if (rest.empty() || rest.front() != '/') return bad(text, "the path must be absolute");
  if (rest.find('\0') != rest.npos) return bad(text, "the path contains a zero byte");
  const std::size_t longest = endpoint.scheme == Scheme::ipc ? kMaxPath - kSessionSuffix : kMaxPath;
  if (rest.size() > longest) {
    return bad(text, "the path has " + std::to_string(rest.size()) + " bytes; at most " +
                         std::to_string(longest) + " fit");
  }
  endpoint.path = rest;
  return endpoint;
}

Result<Endpoint> parse_host(Endpoint endpoint, std::string_view rest, std::string_view text) {
  const auto colon = rest.rfind(':');
  if (colon == rest.npos) return bad(text, "host:port expected");
  std::string_view host = rest.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == host.npos || host.find_first_of("[]") != host.npos) {
      return bad(text, "only an IPv6 address goes in brackets");
    }
  } else if (host.find_first_of(":[]") != host.npos) {
    return bad(text, "an IPv6 address goes in brackets");
  }
  if (host.empty()) return bad(text, "the host is missing");
  const auto odd = [](unsigned char c) { return c <= ' ' || c == '/' || c == 0x7f; };
  if (std::any_of(host.begin(), host.end(), odd)) return bad(text, "not a host name");
  const auto port = parse_number<std::uint16_t>(rest.substr(colon + 1));
  if (!port) return bad(text, "the port must be a number up to 65535");
  endpoint.host = host;
  endpoint.port = *port;
  return endpoint;
}

}  // namespace

std::string host_and_port(std::string_view host, std::uint16_t port) {
  std::string text(host);
  if (host.find(':') != host.npos) text = "[" + text + "]";
  return text + ":" + std::to_string(port);
}

std::string Endpoint::to_string() const {
  const auto name = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                 [this](const SchemeName& s) { return s.scheme == scheme; });
  return std::string(name->prefix) + (is_local() ? path : host_and_port(host, port));
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  for (const auto& [scheme, prefix] : kSchemes) {
    if (!text.starts_with(prefix)) continue;
    Endpoint endpoint;
    endpoint.scheme = scheme;
    const auto rest = text.substr(prefix.size());
    return endpoint.is_local() ? parse_path(endpoint, rest, text)
                               : parse_host(endpoint, rest, text);
  }
  return bad(text, "unix://PATH, ipc://PATH, stream://HOST:PORT or tcp://HOST:PORT expected");
}

}  // namespace starbus::bus::io
