/// The HTTP request that turns a connection into a WebSocket, judged, and its answer. The request
/// is parsed by Beast and treated as hostile. Pure functions and plain values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bus/core/bytes.hpp"

namespace starbus::nodes::gate::net {

/// What a listener takes.
struct UpgradeRules {
  std::string path = "/";
  /// Of browsers: "https://play.example.org", or "*" for all. Empty: pages of the host that the
  /// request is for, at any port. A client that names no origin is no browser, and is not asked.
  std::vector<std::string> origins{};
  friend bool operator==(const UpgradeRules&, const UpgradeRules&) = default;
};

/// The answer to a request.
struct UpgradeAnswer {
  unsigned status = 400;  // 101: from here on frames are spoken
  std::string response{};
  std::string_view problem{};  // for a log; empty with 101
};

/// The size of the request with its last line; 0: it is not complete. `seen` bytes were looked at
/// before, without success.
std::size_t size_of_request(bus::ByteView bytes, std::size_t seen);
/// `request` is complete.
UpgradeAnswer answer_upgrade(std::string_view request, const UpgradeRules& rules);
/// An answer that refuses without a request: 431, 429, 503.
UpgradeAnswer refuse_upgrade(unsigned status, std::string_view problem);

}  // namespace starbus::nodes::gate::net
