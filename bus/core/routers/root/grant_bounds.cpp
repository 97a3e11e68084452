#include "bus/core/routers/root/grant_bounds.hpp"

#include <algorithm>

namespace starbus::bus {

GrantBounds::GrantBounds(std::uint64_t term, std::vector<GrantBound> earlier)
    : term_(term), earlier_(std::move(earlier)) {
  std::erase_if(earlier_, [&](const GrantBound& bound) { return bound.term >= term; });
  std::ranges::sort(earlier_, {}, &GrantBound::term);
  if (earlier_.size() >= kTerms) {
    const auto surplus = static_cast<std::ptrdiff_t>(earlier_.size() - kTerms + 1);
    earlier_.erase(earlier_.begin(), earlier_.begin() + surplus);
  }
}

std::vector<GrantBound> GrantBounds::with(std::uint64_t most) const {
  std::vector<GrantBound> all = earlier_;
  all.push_back({term_, most});
  return all;
}

bool GrantBounds::plausible(Epoch epoch) const {
  if (earlier_.empty() || epoch.term() < earlier_.front().term) return true;
  const auto bound = std::ranges::find(earlier_, epoch.term(), &GrantBound::term);
  return bound != earlier_.end() && epoch.n() <= bound->most;
}

}  // namespace starbus::bus
