/// Where the gates of a script are, and where bots come from. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starbus::bots {

/// `tcp://HOST:PORT`, `tls://HOST:PORT`, `ws://HOST:PORT/PATH`, `wss://HOST:PORT/PATH`.
struct GateUrl {
  bool tls = false;
  std::optional<std::string> web_socket{};  // the path
  std::string address{};                    // HOST:PORT
  /// Bots of one run reach all gates in the same way.
  bool same_way(const GateUrl& other) const {
    return tls == other.tls && web_socket == other.web_socket;
  }
};
/// nullopt if it is not of this form.
std::optional<GateUrl> read_gate_url(const std::string& text);

/// The IPv4 addresses of "127.1.0.0/16", but for the first and the last.
struct Sources {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  /// One of them as text, by number, over and over.
  std::string at(std::uint64_t number) const;
};
/// nullopt if it is not of this form, or has fewer than one address.
std::optional<Sources> read_sources(const std::string& text);

}  // namespace starbus::bots
