/// What a client sends, for tests. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "nodes/gate/net/ws_head.hpp"

namespace starbus::nodes::gate::net::test {

struct ClientFrame {
  WsOpcode opcode = WsOpcode::binary;
  bool last = true;
};

/// A masked frame.
inline std::string ws_frame(std::string_view payload, ClientFrame form = {}) {
  const FrameHead plain = ws_head(form.opcode, payload.size());
  std::string bytes(reinterpret_cast<const char*>(plain.bytes.data()), plain.size);
  if (!form.last) bytes[0] = static_cast<char>(bytes[0] & 0x7f);
  bytes[1] = static_cast<char>(bytes[1] | 0x80);
  const std::array<std::byte, 4> mask = {std::byte{7}, std::byte{0x91}, std::byte{0}, std::byte{3}};
  bytes.append(reinterpret_cast<const char*>(mask.data()), mask.size());
  std::string masked(payload);
  unmask(std::as_writable_bytes(std::span(masked)), mask);
  return bytes + masked;
}

/// A frame of TCP and TLS.
inline std::string length_frame(std::string_view payload) {
  const FrameHead head = length_head(payload.size());
  return std::string(reinterpret_cast<const char*>(head.bytes.data()), head.size).append(payload);
}

/// A request to upgrade; `fields` are whole lines.
inline std::string upgrade_request(const std::string& path = "/", const std::string& fields = "") {
  return "GET " + path +
         " HTTP/1.1\r\nHost: play.example.org\r\nUpgrade: websocket\r\n"
         "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         fields + "\r\n";
}

}  // namespace starbus::nodes::gate::net::test
