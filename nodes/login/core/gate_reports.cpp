#include "nodes/login/core/gate_reports.hpp"

#include <algorithm>

namespace starbus::nodes::login {

Result<> GateReports::report(const bus::Process& gate, std::uint64_t sessions, std::uint64_t most,
                             Time now) {
  died(gate);
  sum(now);  // those that are silent make room
  if (gates_.size() >= kGates) {
    return Error(Errc::too_many, "gates: " + std::to_string(kGates) + " report; run fewer");
  }
  Row row{std::min(sessions, kGateSessions), std::min(most, kGateSessions), now,
          order_.insert(order_.end(), gate)};
  sum_.sessions += row.sessions;
  sum_.most += row.most;
  gates_.emplace(gate, row);
  return {};
}

void GateReports::died(const bus::Process& gate) {
  const auto found = gates_.find(gate);
  if (found != gates_.end()) remove(found);
}

const Measured& GateReports::sum(Time now) {
  while (!order_.empty()) {
    const auto oldest = gates_.find(order_.front());
    if (now - oldest->second.at <= kMeasureAge) break;
    remove(oldest);
  }
  return sum_;
}

void GateReports::remove(std::map<bus::Process, Row>::iterator found) {
  sum_.sessions -= found->second.sessions;
  sum_.most -= found->second.most;
  order_.erase(found->second.place);
  gates_.erase(found);
}

}  // namespace starbus::nodes::login
