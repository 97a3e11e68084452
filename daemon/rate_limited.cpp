#include "daemon/rate_limited.hpp"

#include <spdlog/spdlog.h>

namespace starbus::daemon {
namespace {
// A key is at most a name of the bus; longer ones would make the table's memory depend on peers.
constexpr std::size_t kMaxKey = 256;
constexpr std::string_view kOthers = "(others)";
}  // namespace

bool RateLimited::allow(std::string_view key, Clock::time_point now) {
  key = key.substr(0, kMaxKey);
  Budget& budget = budget_of(key, now);
  if (now - budget.begin >= interval_) {
    report(key, budget);
    budget = {now, 0, 0};
  }
  if (budget.used < lines_) {
    ++budget.used;
    return true;
  }
  ++budget.suppressed;
  return false;
}

RateLimited::Budget& RateLimited::budget_of(std::string_view key, Clock::time_point now) {
  if (const auto known = budgets_.find(key); known != budgets_.end()) return known->second;
  const std::string_view name = budgets_.size() < kMaxKeys ? key : kOthers;
  return budgets_.try_emplace(std::string(name), Budget{now, 0, 0}).first->second;
}

void RateLimited::sweep(Clock::time_point now) {
  std::erase_if(budgets_, [&](const auto& entry) {
    if (now - entry.second.begin < interval_) return false;
    report(entry.first, entry.second);
    return true;
  });
}

void RateLimited::report(std::string_view key, const Budget& budget) const {
  if (budget.suppressed == 0) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval_);
  spdlog::warn("{}: {} more lines in {} s were suppressed", key, budget.suppressed,
               seconds.count());
}

}  // namespace starbus::daemon
