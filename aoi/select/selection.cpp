#include "aoi/select/selection.hpp"

#include <algorithm>
#include <cstring>

#include "aoi/arrays/rank_few.hpp"

namespace starbus::aoi {
namespace {

// Sorts by distance alone. Returns false, and does nothing, if weights differ or two distances are
// equal.
template <std::size_t kFours>
bool sort_few(std::vector<Ranked>& some) {
  constexpr std::size_t kPlaces = kFours * 4;
  std::int32_t keys[kPlaces];
  std::int32_t places[kPlaces];
  Ranked sorted[kPlaces];
  bool weighted = false;
  for (std::size_t i = 0; i < some.size(); ++i) {
    keys[i] = std::bit_cast<std::int32_t>(some[i].distance_squared);
    weighted |= some[i].weight != some[0].weight;
  }
  if (weighted) return false;
  rank_few<kFours>(keys, some.size(), places);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    sum += place;
    sorted[place] = some[i];
  }
  // Equal distances share the lowest of their places.
  if (sum != some.size() * (some.size() - 1) / 2) return false;
  std::copy_n(sorted, some.size(), some.data());
  return true;
}

}  // namespace

void sort_ranked(std::vector<Ranked>& some) {
  const std::size_t count = some.size();
  if (count < 2) return;
  if (count <= 16 && sort_few<4>(some)) return;
  if (count > 16 && count <= 32 && sort_few<8>(some)) return;
  if (count > 32 && count <= 64 && sort_few<16>(some)) return;
  std::sort(some.begin(), some.end(),
            [](const Ranked& a, const Ranked& b) { return ranks_before(a, b); });
}

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
  if (!std::is_sorted(incumbents.begin(), incumbents.end(), before)) sort_ranked(incumbents);
  if (incumbents.size() > count) incumbents.resize(count);  // the limit was lowered
  // No more than `count` newcomers can find a place.
  const std::size_t wanted = std::min(count, newcomers.size());
  const auto middle = newcomers.begin() + static_cast<std::ptrdiff_t>(wanted);
  constexpr std::size_t kFew = 64;  // faster to sort than to partition
  if (newcomers.size() > kFew) {
    std::nth_element(newcomers.begin(), middle, newcomers.end(), before);
    newcomers.resize(wanted);
  }
  sort_ranked(newcomers);
  newcomers.resize(wanted);
  std::size_t next = 0;
  if (incumbents.size() < count) {
    next = std::min(count - incumbents.size(), newcomers.size());
    const auto filled = incumbents.insert(incumbents.end(), newcomers.begin(),
                                          newcomers.begin() + static_cast<std::ptrdiff_t>(next));
    std::inplace_merge(incumbents.begin(), filled, incumbents.end(), before);
  }
  // The next newcomer is never better than one that has a place already, so it is compared only
  // with incumbents, worst first.
  for (std::size_t worst = incumbents.size(); worst != 0 && next < newcomers.size(); ++next) {
    if (!displaces(newcomers[next], incumbents[worst - 1], margin)) break;
    incumbents[--worst] = newcomers[next];
  }
}

}  // namespace starbus::aoi
