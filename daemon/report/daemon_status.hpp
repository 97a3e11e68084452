/// /status of busd and busroot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daemon/report/mail_status.hpp"
#include "daemon/report/shares.hpp"

namespace starbus::report {

struct DaemonStatus {
  std::string kind;  // busd or busroot
  std::string name;
  std::string version;
  std::string protocol;
  std::int64_t pid = 0;
  double uptime_s = 0;
  double loop_lag_ms = 0;
  std::optional<double> clock_jump_age_s;  // since the wall clock was set
  std::uint64_t term = 0;
  std::string state;
  std::optional<MailStatus> mail{};    // of a busd with a mail store
  std::optional<HostShares> shares{};  // of a busd
  std::map<std::string, std::uint64_t> counters;

  bool is_root() const { return kind == "busroot"; }
  /// 0 if the daemon does not report it.
  std::uint64_t counter(const std::string& key) const {
    const auto found = counters.find(key);
    return found == counters.end() ? 0 : found->second;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("kind", self.kind);
    visit("name", self.name);
    visit("version", self.version);
    visit("protocol", self.protocol);
    visit("pid", self.pid);
    visit("uptime_s", whole(self.uptime_s));
    visit("loop_lag_ms", whole(self.loop_lag_ms));
    visit("clock_jump_age_s", whole(self.clock_jump_age_s));
    visit("term", self.term);
    visit("state", self.state);
    if (Visit::kReads || !self.is_root()) visit("mail", self.mail);
    if (Visit::kReads || !self.is_root()) visit("shares", self.shares);
    visit("counters", self.counters);
  }
  friend bool operator==(const DaemonStatus&, const DaemonStatus&) = default;
};

}  // namespace starbus::report
