/// What the gates say of themselves, as one measurement.
///
/// Each gate reports every few seconds; one that is silent for kMeasureAge, or has died, does not
/// count. A plain value: one thread at a time. A report costs the logarithm of the number of gates.
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "bus/core/wire/ids.hpp"
#include "nodes/login/core/places.hpp"

namespace starbus::nodes::login {

class GateReports {
 public:
  /// A gate has so many sessions, and may have `most`, of which kGateSessions count. Replaces its
  /// report before. Errors: too_many (kGates): it does not count.
  Result<> report(const bus::Process& gate, std::uint64_t sessions, std::uint64_t most, Time now);
  void died(const bus::Process& gate);
  /// Of the gates that count now.
  const Measured& sum(Time now);
  std::size_t gates() const { return gates_.size(); }

 private:
  struct Row {
    std::uint64_t sessions = 0;
    std::uint64_t most = 0;
    Time at{0};
    std::list<bus::Process>::iterator place{};
  };
  void remove(std::map<bus::Process, Row>::iterator found);

  std::map<bus::Process, Row> gates_;
  std::list<bus::Process> order_;  // the one that reported longest ago first
  Measured sum_;
};

}  // namespace starbus::nodes::login
