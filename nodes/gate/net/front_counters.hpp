#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nodes/gate/net/connection.hpp"
#include "nodes/gate/net/ending.hpp"

namespace starbus::nodes::gate::net {

/// How a client is connected.
enum class ConnectionKind : std::uint8_t { tcp, tls, websocket, websocket_tls };
inline constexpr std::array<std::string_view, 4> kConnectionKinds = {"tcp", "tls", "websocket",
                                                                     "websocket_tls"};

/// The kind of all connections of a listener.
inline ConnectionKind kind_of(const ListenerRules& rules) {
  const bool tls = rules.tls != nullptr;
  if (rules.websocket) return tls ? ConnectionKind::websocket_tls : ConnectionKind::websocket;
  return tls ? ConnectionKind::tls : ConnectionKind::tcp;
}
/// Of the tables below.
inline std::size_t index_of(const ListenerRules& rules) {
  return static_cast<std::size_t>(kind_of(rules));
}

/// What the sockets of a gate have done; plain numbers that only grow, but for `open`.
struct FrontCounters {
  std::uint64_t accepted = 0;
  std::array<std::uint64_t, kConnectionKinds.size()> opened{};
  std::array<std::uint64_t, kConnectionKinds.size()> open{};  // now
  std::array<std::uint64_t, kEndings.size()> ended{};         // by Ending
  std::uint64_t unheard = 0;        // refused connections that were cut without a word
  std::uint64_t accept_pauses = 0;  // without descriptors
  std::uint64_t tls_handshakes = 0;
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_in = 0;   // of frames
  std::uint64_t bytes_out = 0;  // of frames

  std::uint64_t& of(Ending ending) { return ended[static_cast<std::size_t>(ending)]; }
  std::uint64_t of(Ending ending) const { return ended[static_cast<std::size_t>(ending)]; }
};

}  // namespace starbus::nodes::gate::net
