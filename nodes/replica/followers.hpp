/// The processes whose mirrors a publisher tells, and when each has asked last.
///
/// No I/O and no clock. Belongs to the loop's thread. One that has not asked for kForget is
/// forgotten, at the latest a second after that; beyond kMaxMirrors none is taken.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/limits.hpp"

namespace starbus::nodes::replica {

class Followers {
 public:
  /// False: there are kMaxMirrors others.
  bool asked(const std::string& mirror, entity::Time now);
  /// Whom to tell now; until the next call of a function that changes this.
  const std::vector<std::string>& names(entity::Time now);
  std::size_t size() const { return asked_.size(); }
  bool has(const std::string& mirror) const { return asked_.contains(mirror); }

 private:
  void forget_old(entity::Time now);

  std::map<std::string, entity::Time> asked_;
  std::vector<std::string> names_;  // the same
  entity::Time swept_{};
};

}  // namespace starbus::nodes::replica
