/// Chooses which targets in range a sensor with a limit shows when there are more than its limit
/// allows. The policies are `nearest` and `priority`; symmetric lists are a class of their own.
/// Belongs to the world's thread. Owns scratch memory only; fails only by running out of memory.
#pragma once

#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/select/selection.hpp"
#include "aoi/world/pins.hpp"

namespace starbus::aoi {

class ViewLimits {
 public:
  ViewLimits(const Tables& tables, const Index& index, const Pins& pins)
      : tables_(tables), index_(index), pins_(pins) {}

  /// Appends the chosen targets to the empty list `shown`, sorted. Tests all targets in range, and
  /// works for both policies; pinned targets are left out.
  void choose(SensorIndex sensor, const Managed& managed, std::vector<EntityIndex>& shown);
  /// The same for the policy `nearest` without pinned targets; tests only candidates that are near
  /// enough. `left`: reported targets that have left the range since the last update; sorted.
  void choose_nearest(SensorIndex sensor, Managed& managed, const std::vector<EntityIndex>& left,
                      std::vector<EntityIndex>& shown);

 private:
  Ranked rank(SensorIndex sensor, EntityIndex target) const;
  void rank_incumbents(SensorIndex sensor, const Managed& managed,
                       const std::vector<EntityIndex>& left);
  void find_newcomers(SensorIndex sensor, float within);
  bool enough_newcomers(const Limit& limit, float within) const;

  const Tables& tables_;
  const Index& index_;
  const Pins& pins_;
  std::vector<EntityIndex> in_range_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> reported_;  ///< a bit by entity; zeros at rest
  std::vector<std::uint64_t> marks_;
  std::vector<Ranked> incumbents_;
  std::vector<Ranked> newcomers_;
};

}  // namespace starbus::aoi
