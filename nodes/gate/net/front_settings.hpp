#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/gate/net/limits.hpp"
#include "nodes/gate/net/peer_address.hpp"
#include "nodes/gate/net/tls_context.hpp"
#include "nodes/gate/net/ws_upgrade.hpp"

namespace starbus::nodes::gate::net {

/// One place at which clients come in.
struct ListenerSettings {
  PeerAddress address{};  // port 0: the system chooses
  bool tls = false;
  bool websocket = false;
  bool proxy = false;       // a load balancer says first for whom it speaks
  bool reuse_port = false;  // several processes share the address; the kernel deals out
  TlsFiles files{};         // with tls
  UpgradeRules upgrade{};   // with websocket
  friend bool operator==(const ListenerSettings&, const ListenerSettings&) = default;
};

/// `[gate.limits]`: what an operator may change; limits.hpp says why each has its default.
struct FrontLimits {
  std::size_t connections = kConnections;
  std::size_t connections_per_address = kConnectionsPerAddress;
  std::size_t handshakes_at_once = kHandshakesAtOnce;
  std::uint32_t tls_per_second = kTlsPerSecond;
  std::uint32_t frames_per_second = kFramesPerSecond;
  std::uint32_t frame_burst = kFrameBurst;
  std::size_t queue_bytes = kQueueBytes;   // of one client
  std::size_t memory_bytes = kFrontBytes;  // of all
  std::chrono::milliseconds handshake_time = kHandshakeTime;
  std::chrono::milliseconds frame_time = kFrameTime;
  std::chrono::milliseconds close_time = kCloseTime;
  std::chrono::milliseconds heartbeat = kHeartbeat;
  friend bool operator==(const FrontLimits&, const FrontLimits&) = default;
};

/// What the sockets of a gate are. A plain value.
struct FrontSettings {
  std::vector<ListenerSettings> listeners;
  FrontLimits limits{};
  friend bool operator==(const FrontSettings&, const FrontSettings&) = default;
};

/// Reads `listeners` and `limits` of the table `[gate]`. Problems are noted at the reader.
FrontSettings read_front_settings(daemon::ConfigReader& gate);

}  // namespace starbus::nodes::gate::net
