#include <string>

#include "nodes/gate/node/gate.hpp"

namespace starbus::nodes::gate {

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
  return settings;
}

}  // namespace starbus::nodes::gate
