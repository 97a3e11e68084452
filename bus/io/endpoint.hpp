/// The text form of where a listener listens: parsed, checked and printed in one place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"

namespace starbus::bus::io {

enum class Scheme : std::uint8_t { unix_socket, stream, ipc, tcp };

/// A plain value. unix and ipc have a path, stream and tcp a host (without brackets) and a port.
struct Endpoint {
  Scheme scheme = Scheme::unix_socket;
  std::string path;
  std::string host;
  std::uint16_t port = 0;

  bool is_local() const { return scheme == Scheme::unix_socket || scheme == Scheme::ipc; }
  bool is_zmq() const { return scheme == Scheme::ipc || scheme == Scheme::tcp; }
  std::string to_string() const;
};

/// The suffix of an ipc session after its listener's path: a dot and eight hexadecimal digits.
inline constexpr std::size_t kSessionSuffix = 9;

/// bad_config for an unknown scheme, a relative, empty or too long path, a missing or bad port, an
/// IPv6 address without brackets. Port 0 passes; connect() refuses it.
Result<Endpoint> parse_endpoint(std::string_view text);

/// "127.0.0.1:80", "[::1]:80".
std::string host_and_port(std::string_view host, std::uint16_t port);

}  // namespace starbus::bus::io
