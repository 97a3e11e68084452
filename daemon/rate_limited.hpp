#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/line_limit.hpp"

namespace starbus::daemon {

/// Limits log lines that a hostile or broken peer can trigger: `lines` per key and interval, then
/// none, then one line with the number of suppressed lines.
///
///   if (limited.allow(peer_name)) spdlog::warn("{}: bad bytes", peer_name);
///
/// Owned and used by one thread. Holds at most kMaxKeys keys, and as many of strangers; further
/// ones share a single budget, so that a flood of new keys is limited, too.
class RateLimited {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxKeys = 1024;

  explicit RateLimited(std::uint32_t lines = 5, Clock::duration interval = std::chrono::seconds(10))
      : interval_(interval),
        budgets_(lines, interval, interval),
        strangers_(lines, interval, interval) {}

  /// True if the caller may log its line now.
  bool allow(std::string_view key, Clock::time_point now = Clock::now());
  /// The same for a line about a peer that nobody knows: by its address without the port, and with
  /// a table of its own, so that a scanner uses up no key of those that are known.
  bool allow_stranger(std::string_view address, Clock::time_point now = Clock::now());
  /// Reports and forgets the keys whose interval is over. Call about once a second.
  void sweep(Clock::time_point now = Clock::now());

 private:
  using Budgets = LineLimit<std::string, Clock::time_point>;
  bool allow(Budgets& budgets, std::string_view key, Clock::time_point now) const;
  void report(std::string_view key, std::uint64_t left_out) const;

  Clock::duration interval_;
  Budgets budgets_;
  Budgets strangers_;
};

}  // namespace starbus::daemon
