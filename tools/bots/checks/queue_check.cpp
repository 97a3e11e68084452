#include "tools/bots/checks/queue_check.hpp"

#include <algorithm>
#include <utility>

#include "tools/bots/limits.hpp"

namespace starbus::bots {

std::optional<QueueCheck::Wrong> QueueCheck::told(Place& place, std::uint64_t ahead, Nanos now) {
  const bool first = !place.placed;
  if (first) place.placed = now;
  const std::uint64_t before = std::exchange(place.ahead, ahead);
  if (!first && ahead > before) {
    return Wrong{"at most " + std::to_string(before) + " before it",
                 std::to_string(ahead) + " before it"};
  }
  const auto later = after(*place.placed);
  const auto earliest = std::ranges::min_element(later, {}, &LetIn::in);
  if (earliest == later.end() || now < earliest->in + kOnItsWay) return std::nullopt;
  return Wrong{"let in before those who asked later",
               std::to_string(ahead) + " before it, " +
                   std::to_string((now - earliest->in) / 1'000'000) + " ms after one of them"};
}

std::uint64_t QueueCheck::let_in(const Place& place, Nanos now) {
  const std::uint64_t overtaken = place.placed ? after(*place.placed).size() : 0;
  if (!place.asked) return overtaken;
  const auto at = std::ranges::upper_bound(let_in_, *place.asked, {}, &LetIn::asked);
  let_in_.insert(at, {*place.asked, now});
  if (let_in_.size() > kLetIn) let_in_.erase(let_in_.begin());
  return overtaken;
}

std::span<const QueueCheck::LetIn> QueueCheck::after(Nanos time) const {
  return {std::ranges::upper_bound(let_in_, time, {}, &LetIn::asked), let_in_.end()};
}

}  // namespace starbus::bots
