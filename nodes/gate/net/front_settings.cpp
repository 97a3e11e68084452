#include "nodes/gate/net/front_settings.hpp"

#include <algorithm>

namespace starbus::nodes::gate::net {
namespace {

using daemon::ConfigReader;
using std::chrono::milliseconds;

constexpr std::size_t kMostConnections = 1'000'000;
constexpr std::uint32_t kMostPerSecond = 1'000'000;
constexpr milliseconds kLeastTime{100};
constexpr milliseconds kMostTime{600'000};

bool is_origin(const std::string& text) {
  if (text == "*") return true;
  const std::size_t scheme = text.find("://");
  return scheme != std::string::npos && scheme > 0 && scheme + 3 < text.size() &&
         text.find('/', scheme + 3) == std::string::npos;
}

bool is_loopback(const PeerAddress& address) {
  return address.v6 ? address.host() == "::1" : address.bytes[0] == 127;
}

void read_websocket(ConfigReader& table, UpgradeRules& rules) {
  rules.path = table.string("path", rules.path);
  if (rules.path.empty() || rules.path.front() != '/' ||
      rules.path.find_first_of("?# ") != std::string::npos) {
    table.problem("path", "'path' must begin with '/' and have no '?', '#' or space");
  }
  rules.origins = table.strings("origins");
  for (const std::string& origin : rules.origins) {
    if (is_origin(origin)) continue;
    table.problem("origins", "'origins': '" + origin +
                                 "' is no origin; write \"https://play.example.org\", or \"*\"");
  }
  if (rules.origins.size() > kOrigins) {
    table.problem("origins", "'origins' has more than " + std::to_string(kOrigins) +
                                 " entries; write \"*\", or serve the pages from fewer hosts");
  }
}

void read_tls(ConfigReader& table, TlsFiles& files) {
  files.certificates = table.required_string("certificates");
  files.key = table.required_string("key");
}

ListenerSettings read_listener(ConfigReader& table) {
  ListenerSettings settings;
  const std::string text = table.required_string("address");
  if (const auto address = parse_address(text)) {
    settings.address = *address;
  } else if (!text.empty()) {
    table.problem("address", "'address': '" + text +
                                 "' is no address with a port; write \"0.0.0.0:7001\" or "
                                 "\"[::]:7001\"");
  }
  settings.tls = table.boolean("tls", true);
  if (!settings.tls && !settings.proxy && !is_loopback(settings.address)) {
    table.warn("tls", "'tls' is false: passwords of clients can be read on the way");
  }
  settings.websocket = table.boolean("websocket", false);
  settings.proxy = table.boolean("proxy", false);
  settings.reuse_port = table.boolean("reuse_port", false);
  if (settings.tls) read_tls(table, settings.files);
  if (settings.websocket) read_websocket(table, settings.upgrade);
  return settings;
}

FrontLimits read_limits(ConfigReader& table) {
  FrontLimits limits;
  const auto count = [&table](const char* key, auto& value, auto least, auto most) {
    using T = std::remove_reference_t<decltype(value)>;
    value = table.integer<T>(key, value, static_cast<T>(least), static_cast<T>(most));
  };
  const auto time = [&table](const char* key, milliseconds& value) {
    value = table.duration(key, value, kLeastTime, kMostTime);
  };
  count("connections", limits.connections, 1, kMostConnections);
  count("connections_per_address", limits.connections_per_address, 1, kMostConnections);
  count("handshakes_at_once", limits.handshakes_at_once, 1, kMostConnections);
  count("tls_per_second", limits.tls_per_second, 1, kMostPerSecond);
  count("frames_per_second", limits.frames_per_second, 1, kMostPerSecond);
  count("frame_burst", limits.frame_burst, 1, kMostPerSecond);
  // At least a full state and its head, or nobody could ever log in.
  limits.queue_bytes = table.size("queue", limits.queue_bytes, 2_MiB, 1'024_MiB);
  limits.memory_bytes = table.size("memory", limits.memory_bytes, 4_MiB);
  time("handshake_time", limits.handshake_time);
  time("frame_time", limits.frame_time);
  time("close_time", limits.close_time);
  time("heartbeat", limits.heartbeat);
  return limits;
}

}  // namespace

FrontSettings read_front_settings(ConfigReader& gate) {
  FrontSettings settings;
  for (ConfigReader& table : gate.tables("listeners")) {
    settings.listeners.push_back(read_listener(table));
    const PeerAddress& address = settings.listeners.back().address;
    const auto same = std::ranges::count(settings.listeners, address, &ListenerSettings::address);
    if (same > 1 && address.port != 0) {
      table.problem("address", "'address': another listener has it; give each its own port");
    }
  }
  if (settings.listeners.empty()) {
    gate.problem("listeners", "no listener: nobody could connect; add [[gate.listeners]]");
  } else if (settings.listeners.size() > kListeners) {
    gate.problem("listeners", "more than " + std::to_string(kListeners) +
                                  " listeners; start another gate for the others");
  }
  ConfigReader limits = gate.table("limits");
  settings.limits = read_limits(limits);
  return settings;
}

}  // namespace starbus::nodes::gate::net
