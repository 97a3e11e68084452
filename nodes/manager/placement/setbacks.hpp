/// Failures of service instances, and where those are not placed because of them. An instance that
/// failed to start avoids that host for kAvoid. An instance whose host died while it started or was
/// young is placed nowhere for a pause that doubles, and after kSoleDeaths nowhere until an
/// operator releases it (quarantine).
///
/// Pure; belongs to one thread; in memory only. The cause of a host death is unknown, so a death
/// has suspects: all young instances there, or only those that were suspects before. An instance
/// that was a suspect twice is placed apart from other suspects, so that the next death has one
/// suspect; only deaths with one suspect lead to quarantine. Entries end after kDeathWindow, and
/// when the instance is not young any more.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/manager/placement/placement_plan.hpp"

namespace starbus::nodes::manager {

class Setbacks {
 public:
  using Time = entity::Time;

  struct Record {
    std::uint32_t deaths = 0;  // of hosts, of which it is a suspect
    std::uint32_t sole = 0;    // of these, with no other one
    Time latest{};
    Time until{};              // nowhere before
    bool quarantined = false;  // nowhere until it is released
    std::string host;          // that died latest
  };

  /// An instance failed to start on a host.
  void failed(const service::InstanceId& id, const std::string& process, Time now);
  /// A host has died, with these young instances.
  void died(const std::string& process, const std::vector<service::InstanceId>& young, Time now);
  /// An instance has served for kYouth.
  void settled(const service::InstanceId& id);
  /// Called for an operator. False if it has no entry.
  bool release(const service::InstanceId& id);
  /// Forgets entries that have expired, and those of types that are not wanted any more.
  void tidy(const std::vector<WantedType>& wanted, Time now);

  /// Adds its entries to the input of a plan.
  void tell(PlanInput& input, Time now) const;
  /// Deaths, by instance.
  const std::map<service::InstanceId, Record>& records() const { return records_; }
  std::size_t quarantined() const;

 private:
  void blame(const service::InstanceId& id, const std::string& process, bool alone, Time now);

  std::map<std::pair<service::InstanceId, std::string>, Time> avoid_;  // until when
  std::map<service::InstanceId, Record> records_;
};

}  // namespace starbus::nodes::manager
