#include "daemon/rate_limited.hpp"

#include <spdlog/spdlog.h>

namespace starbus::daemon {
namespace {
// A key is at most a name of the bus; longer ones would make the table's memory depend on peers.
constexpr std::size_t kMaxKey = 256;
constexpr std::string_view kOthers = "(others)";

/// An address with a port is HOST:PORT; an IPv6 host stands in brackets then.
std::string_view without_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return address;
  const bool port = address.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  const std::string_view host = address.substr(0, colon);
  const bool whole = host.ends_with(']') || host.find(':') == std::string_view::npos;
  return port && whole ? host : address;
}

}  // namespace

bool RateLimited::allow(std::string_view key, Clock::time_point now) {
  return allow(budgets_, key, now);
}

bool RateLimited::allow_stranger(std::string_view address, Clock::time_point now) {
  return allow(strangers_, without_port(address), now);
}

bool RateLimited::allow(Budgets& budgets, std::string_view key, Clock::time_point now) const {
  key = key.substr(0, kMaxKey);
  auto known = budgets.find(key);
  if (known == budgets.end()) {
    const std::string_view name = budgets.size() < kMaxKeys ? key : kOthers;
    known = budgets.try_emplace(std::string(name), Budget{now, 0, 0}).first;
  }
  Budget& budget = known->second;
  if (now - budget.begin >= interval_) {
    report(known->first, budget);
    budget = {now, 0, 0};
  }
  if (budget.used < lines_) {
    ++budget.used;
    return true;
  }
  ++budget.suppressed;
  return false;
}

void RateLimited::sweep(Clock::time_point now) {
  sweep(budgets_, now);
  sweep(strangers_, now);
}

void RateLimited::sweep(Budgets& budgets, Clock::time_point now) const {
  std::erase_if(budgets, [&](const auto& entry) {
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
