/// Rates from two readings of counters. Pure. A counter that fell belongs to a restarted daemon or
/// a new session: there is no rate, rather than a wrong one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cluster/model.hpp"

namespace starbus::bustop {

/// Per second. In and out are as the daemon sees them: in is what the peer sent.
struct LinkRate {
  double records_in = 0;
  double bytes_in = 0;
  double bytes_out = 0;
  double bundles_in = 0;
  double bundles_out = 0;
};

struct LinkRates {
  std::string peer;
  std::string kind;
  std::string id;
  std::uint64_t queued_bytes = 0;
  std::optional<LinkRate> rate;  // none: the link is new
};

struct DaemonRates {
  std::string name;
  bool fresh = false;  // restarted or new since the first reading: no rates
  double messages = 0;
  double bytes = 0;
  double nacks = 0;
  std::vector<LinkRates> links;  // busiest first
  Error trouble;
};

std::optional<LinkRate> rate_between(const LinkInfo& before, const LinkInfo& after, double seconds);
/// Per second; nullopt if the counter fell or no time has passed.
std::optional<double> counter_rate(const DaemonReading& before, const DaemonReading& after,
                                   const std::string& counter);
/// One row per daemon of `after`.
std::vector<DaemonRates> compute_rates(const std::vector<DaemonReading>& before,
                                       const std::vector<DaemonReading>& after);

}  // namespace starbus::bustop
