/// Chooses the node that a new entity is placed on: the least busy one, by its latest report.
///
/// Reports come once a second, so what was placed on a node since its latest one counts as
/// kPlacedBusy each: a thousand that come at once are spread, and do not all go to one node. Pure
/// but for that count, which is bounded by kMaxNodes. Belongs to the thread that uses it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::manager {

/// What a node reported last.
struct NodeLoad {
  std::string process;         // HOST.NODE
  double busy_ms_per_s = 0;    // of 1000
  entity::Time reported_at{};  // of the report
};

class LoadChoice {
 public:
  /// The process of one of them, which counts as placed there; the first by name of those that are
  /// equally busy. Empty: there are none.
  std::string choose(const std::vector<NodeLoad>& nodes);

 private:
  struct Placed {
    entity::Time reported_at{};
    std::uint64_t since = 0;  // placed there since that report
  };
  std::map<std::string, Placed> placed_;  // by process
};

}  // namespace starbus::nodes::manager
