#include <string>

#include "nodes/gate/node/gate.hpp"
#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

/// A second's bytes, or 0: no bound.
std::uint64_t rate(daemon::ConfigReader& table, const char* key, std::uint64_t fallback,
                   std::uint64_t least) {
  const std::uint64_t value = table.size(key, fallback, 0, kMostRate);
  if (value != 0 && value < least) {
    table.problem(key, std::string("'") + key + "' is below " + std::to_string(least) +
                           " bytes a second; write more, or 0 for no bound");
  }
  return value;
}

Budget read_budget(daemon::ConfigReader& table) {
  Budget budget;
  budget.client_rate = rate(table, "client_rate", budget.client_rate, kLeastClientRate);
  budget.client_burst =
      table.size("client_burst", budget.client_burst, kLeastClientRate, kWindowBytes);
  budget.gate_rate = rate(table, "gate_rate", budget.gate_rate, kLeastGateRate);
  return budget;
}

/// The least body that is deflated; 0: none.
std::size_t read_compression(daemon::ConfigReader& table) {
  const std::string how = table.string("compression", "none");
  const std::size_t above = table.size("compress_above", kDeflateLeast, 64, kDeflateMost);
  if (how != "none" && how != "deflate") {
    table.problem("compression", "'compression' is \"none\" or \"deflate\"");
  }
  return how == "deflate" ? above : 0;
}

}  // namespace

GateSettings read_gate_settings(daemon::ConfigReader& reader) {
  daemon::ConfigReader gate = reader.table("gate");
  GateSettings settings;
  settings.front = net::read_front_settings(gate);
  settings.address = gate.string("address", "");
  if (settings.address.size() > entity::sessions::kChannelBytes) {
    gate.problem("address", "more than 255 bytes; clients get host:port, or a wss:// address");
  }
  settings.sessions = gate.integer<std::size_t>("sessions", kSessions, 1, kSessions);
  settings.drain_time = gate.duration("drain_time", settings.drain_time);
  daemon::ConfigReader downlink = gate.table("downlink");
  settings.budget = read_budget(downlink);
  settings.compress_above = read_compression(downlink);
  return settings;
}

}  // namespace starbus::nodes::gate
