/// Decides where service instances run: wanted and present instances in, orders out.
///
/// A pure function: the same input, in any order, gives the same plan. An instance that runs on a
/// ready host is never moved: not when a host comes back, and not to spread instances.
/// docs/guide/placement.md has the rules; placement_plan_test.cpp plays histories against them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nodes/service/host_report.hpp"

namespace starbus::nodes::manager {

/// One wanted type.
struct WantedType {
  std::string type;
  std::uint32_t count = 1;  // instances, or partitions
  bool partitioned = false;
  std::uint32_t hosts = 1;  // the quorum: so many that may have it, before the first is placed
  std::vector<std::string> labels = {};  // that a host must have, all of them

  bool operator==(const WantedType&) const = default;

  /// The instance of this number, from 1.
  service::InstanceId instance(std::uint32_t number) const {
    return {type, number, partitioned ? count : 0};
  }
  /// It is one of these.
  bool has(const service::InstanceId& id) const {
    return id.number <= count && id == instance(id.number);
  }
};

/// A host that is ready.
struct HostView {
  std::string process;
  bool answered = false;  // otherwise `report` has only what its claims show
  service::HostReport report;
};

/// A claim in the directory, of any host.
struct HeldClaim {
  service::InstanceId id;
  std::string process;
};

/// All that a plan depends on.
struct PlanInput {
  std::vector<WantedType> wanted;  // each type once
  std::vector<HostView> hosts;
  std::vector<HeldClaim> held;
  std::set<std::string> begun;  // types that had their quorum once
  /// Hosts where an instance failed recently: they are avoided for a while.
  std::set<std::pair<service::InstanceId, std::string>> avoid;
  std::map<service::InstanceId, std::string> nowhere = {};  // not to be placed now, and why
  std::set<service::InstanceId> apart = {};                 // of these, none where another one is
};

/// An order, and the host that gets it.
struct PlannedAction {
  std::string process;
  service::Action action;
  auto operator<=>(const PlannedAction&) const = default;
};

/// A type with missing instances that cannot be placed now, and the reason.
struct WaitingType {
  std::string type;
  std::string reason;
  bool operator==(const WaitingType&) const = default;
};

/// The orders of now, and the types that wait for their quorum.
struct Plan {
  std::vector<PlannedAction> actions;
  std::vector<WaitingType> waiting;
  std::set<std::string> begun;
};

/// Never fails; types that cannot be placed are in `waiting`.
Plan make_plan(PlanInput input);

}  // namespace starbus::nodes::manager
