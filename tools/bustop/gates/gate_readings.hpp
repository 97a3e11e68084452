/// What doctor reads of gates and logins. Values of this header come from peers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/bustop/gates/gate_report.hpp"

namespace starbus::bustop {

/// One answer of a gate or a login.
struct NodeReading {
  std::string process;
  bus::Error trouble;     // not ok: there is no report
  nlohmann::json report;  // of /gate or /login
  double skew_ms = 0;     // its wall clock less that of this machine
  double unsure_ms = 0;   // of that: half of the time that the answer took
};
struct GateReading : NodeReading {
  bool trusted = false;    // others take what it says as the words of a server
  std::uint64_t lost = 0;  // sessions that no subject answers for, for kLostTime
};
struct GateReadings {
  double at_ms = 0;  // by the wall clock of this machine
  std::vector<GateReading> gates;
  std::vector<NodeReading> logins;
  bool login_there = false;  // some process serves gates as a login
};

/// A session may be without a subject for so long, as that is being loaded or moves.
inline constexpr std::uint64_t kLostTime = 10'000;  // milliseconds

/// Names that follow a prefix, as GateLink::names().
using NamesOf = std::function<bus::Result<std::vector<std::string>>(const std::string& prefix)>;

/// Gates that are nodes of starbus, and logins that are ready. Errors: the names are not shown.
bus::Result<GateReadings> read_gates(const NamesOf& names, const NodeLook& look,
                                     const std::function<double()>& wall_ms);
/// Those of the gates, as GateLink::names() has them, that are nodes.
bus::Result<std::vector<std::string>> gates_of(const NamesOf& names);
double wall_clock_ms();

}  // namespace starbus::bustop
