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
  if (!budgets.contains(key) && budgets.size() >= kMaxKeys) key = kOthers;
  return budgets.allow(
      key, now, [this](std::string_view of, std::uint64_t left_out) { report(of, left_out); });
}

void RateLimited::sweep(Clock::time_point now) {
  for (Budgets* const budgets : {&budgets_, &strangers_}) {
    budgets->sweep(now,
                   [this](std::string_view of, std::uint64_t left_out) { report(of, left_out); });
  }
}

void RateLimited::report(std::string_view key, std::uint64_t left_out) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval_);
  spdlog::warn("{}: {} more lines in {} s were suppressed", key, left_out, seconds.count());
}

}  // namespace starbus::daemon
