/// What went wrong with instances of services, and where they are not placed for that: one that
/// failed to start, not on that host for kAvoid; one whose host died while it started or was young,
/// nowhere for a pause that doubles, and behind kSoleDeaths nowhere until an operator says so.
///
/// Pure; belongs to one thread; in memory alone. Who killed a host is not known, so a death has
/// suspects: all that were young there, or of these only those who have been suspects before. Who
/// was one twice is placed apart from others of its kind, so that the next death has one suspect;
/// only deaths with one suspect lead into quarantine. Entries end with kDeathWindow, and with an
/// instance that has grown old.
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

  /// It said that it could not start there.
  void failed(const service::InstanceId& id, const std::string& process, Time now);
  /// A host has died, with these young.
  void died(const std::string& process, const std::vector<service::InstanceId>& young, Time now);
  /// It has served for kYouth.
  void settled(const service::InstanceId& id);
  /// By an operator. False: there is nothing of it.
  bool release(const service::InstanceId& id);
  /// Forgets what is over, and what nobody wants any more.
  void tidy(const std::vector<WantedType>& wanted, Time now);

  /// Into the input of a plan.
  void tell(PlanInput& input, Time now) const;
  /// Of deaths, by instance.
  const std::map<service::InstanceId, Record>& records() const { return records_; }
  std::size_t quarantined() const;

 private:
  void blame(const service::InstanceId& id, const std::string& process, bool alone, Time now);

  std::map<std::pair<service::InstanceId, std::string>, Time> avoid_;  // until when
  std::map<service::InstanceId, Record> records_;
};

}  // namespace starbus::nodes::manager
