/// The PROXY protocol, version 2: what a load balancer says about a connection before the bytes of
/// its client. Decoding treats its input as hostile. Pure functions and plain values; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "bus/core/bytes.hpp"
#include "nodes/gate/net/peer_address.hpp"

namespace starbus::nodes::gate::net {

/// The bytes that come before the length is known.
inline constexpr std::size_t kProxyHead = 16;

/// What is known of a header that has come in part.
struct ProxyHeader {
  enum class State {
    more,       ///< `size` bytes are needed to go on: the head, then the whole header
    whole,      ///< `size` bytes are the header; what follows is the client's
    malformed,  ///< not a header of version 2 for a stream, or longer than kProxyBytes
  };
  State state = State::more;
  std::size_t size = kProxyHead;
  /// nullopt: the balancer speaks for itself (a health check), or does not say.
  std::optional<PeerAddress> client{};
};

/// Looks at the bytes from the beginning of a connection on.
ProxyHeader read_proxy_header(bus::ByteView bytes);

}  // namespace starbus::nodes::gate::net
