#include "aoi/selection.hpp"

#include <algorithm>

namespace starbus::aoi {

float displacing_limit(float incumbent_squared, float margin) {
  const float share = 1 - margin;
  return share * share * incumbent_squared;
}

bool displaces(const Ranked& newcomer, const Ranked& incumbent, float margin) {
  if (newcomer.weight != incumbent.weight || margin <= 0) return ranks_before(newcomer, incumbent);
  return newcomer.distance_squared < displacing_limit(incumbent.distance_squared, margin);
}

void select(std::vector<Ranked>& incumbents, std::vector<Ranked>& newcomers, std::size_t count,
            float margin) {
  const auto before = [](const Ranked& a, const Ranked& b) { return ranks_before(a, b); };
  if (!std::is_sorted(incumbents.begin(), incumbents.end(), before)) {
    std::sort(incumbents.begin(), incumbents.end(), before);
  }
  if (incumbents.size() > count) incumbents.resize(count);  // the limit was lowered
  // No more than `count` newcomers can find a place.
  const std::size_t wanted = std::min(count, newcomers.size());
  const auto middle = newcomers.begin() + static_cast<std::ptrdiff_t>(wanted);
  if (middle != newcomers.end()) {
    std::nth_element(newcomers.begin(), middle, newcomers.end(), before);
    newcomers.erase(middle, newcomers.end());
  }
  std::sort(newcomers.begin(), newcomers.end(), before);
  std::size_t next = 0;
  if (incumbents.size() < count) {
    next = std::min(count - incumbents.size(), newcomers.size());
    const auto filled = incumbents.insert(incumbents.end(), newcomers.begin(),
                                          newcomers.begin() + static_cast<std::ptrdiff_t>(next));
    std::inplace_merge(incumbents.begin(), filled, incumbents.end(), before);
  }
  // The next newcomer is never better than one that has found a place, so that only the incumbents,
  // worst first, have to be compared with it.
  for (std::size_t worst = incumbents.size(); worst != 0 && next < newcomers.size(); ++next) {
    if (!displaces(newcomers[next], incumbents[worst - 1], margin)) break;
    incumbents[--worst] = newcomers[next];
  }
}

}  // namespace starbus::aoi
