/// Heads of WebSocket frames (RFC 6455, section 5) as a server reads and writes them, without
/// extensions. Decoding treats its input as hostile. Pure functions and plain values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bus/core/bytes.hpp"

namespace starbus::nodes::gate::net {

/// The numbers of the protocol.
enum class WsOpcode : std::uint8_t {
  more = 0,  ///< goes on with a message
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

/// The head of a frame of a client.
struct WsHead {
  enum class State { more, whole, malformed };
  State state = State::more;
  bool last = false;  // of its message
  WsOpcode opcode = WsOpcode::binary;
  std::uint64_t length = 0;  // of the payload
  std::size_t size = 0;      // of the head
  std::array<std::byte, 4> mask{};
};
/// Looks at bytes that begin with a frame. A frame without a mask is malformed, as are lengths that
/// are not the shortest, and control frames that are long or in parts.
WsHead read_ws_head(bus::ByteView bytes);

/// Decodes a payload where it lies.
void unmask(std::span<std::byte> payload, const std::array<std::byte, 4>& mask);

/// The longest beginning of a frame that one connection has for itself, where others share the
/// rest.
inline constexpr std::size_t kPrefixBytes = 16;

/// What goes before a shared body on the wire: the head of a WebSocket, or four bytes of length;
/// and then the first bytes of the frame, if they are of this connection alone.
struct FrameHead {
  std::array<std::byte, 10 + kPrefixBytes> bytes{};
  std::uint8_t size = 0;
  /// At most kPrefixBytes, once.
  void append(bus::ByteView prefix);
};
/// A whole frame of a server.
FrameHead ws_head(WsOpcode opcode, std::size_t length);
/// The length of a frame of TCP and TLS.
FrameHead length_head(std::size_t length);

}  // namespace starbus::nodes::gate::net
