#include "tools/bustop/gates/gate_readings.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "bus/core/wire/name.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::bustop {
namespace {

using Clock = std::function<double()>;

constexpr const char* kReadyLogins = "ready/login/";

/// False: it has no such path, and so is something else.
bool read(NodeReading& reading, const NodeLook& look, const std::string& path,
          const Clock& wall_ms) {
  const double before = wall_ms();
  auto report = look(reading.process, path);
  const double after = wall_ms();
  if (!report) {
    reading.trouble = report.error();
    return reading.trouble != bus::Errc::no_handler;
  }
  reading.report = std::move(*report);
  reading.unsure_ms = (after - before) / 2;
  reading.skew_ms =
      static_cast<double>(number_at(reading.report, "now_ms")) - (before + reading.unsure_ms);
  return true;
}

std::uint64_t lost_sessions(const NodeLook& look, const std::string& gate) {
  std::uint64_t lost = 0;
  // It has answered before: if it does not now, the next examination tells.
  static_cast<void>(ask_pages(look, gate, "/clients?lost_ms=" + std::to_string(kLostTime), {},
                              [&](const nlohmann::json& page) {
                                if (page.contains("clients")) lost += page["clients"].size();
                                return true;
                              }));
  return lost;
}

}  // namespace

bus::Result<std::vector<std::string>> gates_of(const NamesOf& names) {
  auto gates = names(std::string(bus::kGatePrefix));
  if (!gates) return gates.error();
  auto nodes = names(std::string(nodes::kPresencePrefix));
  if (!nodes) return nodes.error();
  std::vector<std::string> both;
  std::ranges::set_intersection(*gates, *nodes, std::back_inserter(both));
  return both;
}

bus::Result<GateReadings> read_gates(const NamesOf& names, const NodeLook& look,
                                     const Clock& wall_ms) {
  const auto gates = gates_of(names);
  if (!gates) return gates.error();
  const auto servers = names(std::string(bus::kServerPrefix));
  if (!servers) return servers.error();
  const auto logins = names(kReadyLogins);
  if (!logins) return logins.error();
  const auto services = names("service/login");
  if (!services) return services.error();
  GateReadings readings;
  readings.login_there = !services->empty();
  readings.at_ms = wall_ms();
  for (const std::string& gate : *gates) {
    GateReading reading;
    reading.process = gate;
    reading.trusted = std::ranges::binary_search(*servers, gate);
    if (!read(reading, look, "/gate", wall_ms)) continue;
    if (reading.trouble.code == bus::Errc::ok) reading.lost = lost_sessions(look, gate);
    readings.gates.push_back(std::move(reading));
  }
  for (const std::string& login : *logins) {
    NodeReading reading;
    reading.process = login;
    if (read(reading, look, "/login", wall_ms)) readings.logins.push_back(std::move(reading));
  }
  return readings;
}

double wall_clock_ms() {
  const std::chrono::duration<double, std::milli> now =
      std::chrono::system_clock::now().time_since_epoch();
  return now.count();
}

}  // namespace starbus::bustop
