// Checks of the cluster as a whole: busroot, hosts, processes, versions.
#include <map>
#include <string>

#include "bus/core/limits.hpp"
#include "tools/bustop/doctor/doctor_checks.hpp"
#include "tools/bustop/manager_link.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop::checks {
namespace {

constexpr double kQuotaWarning = 0.8;
constexpr double kYoungUplink = 60;      // seconds
constexpr std::uint64_t kFlapping = 4;   // sessions in ten minutes
constexpr std::uint64_t kResends = 100;  // in a second; fewer are not a burden
constexpr double kResendShare = 0.05;
constexpr double kWindowShare = 0.8;
constexpr auto kStalledMove = 2 * bus::kReclaimAfter;  // it has been asked back in vain

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

void check_uplink(const HostView& host, double uptime_s, Findings& to) {
  const Uplink& uplink = host.topology->uplink;
  if (!uplink.connected) {
    std::string what = "no session with busroot at " + uplink.endpoint;
    if (!uplink.last_error.empty()) what += ": " + uplink.last_error;
    // The error of a silent busroot says less than the check's own advice.
    const bool silent = uplink.last_error.starts_with(bus::name_of(Errc::unreachable));
    const std::string cure = silent ? "" : cure_of(uplink.last_error);
    add(to, Severity::error, Check::uplink_down, host.name, what, cure);
    return;
  }
  // Only the local daemon's age is known here, and a daemon that has just started has a new uplink.
  if (host.local && uplink.since_s < kYoungUplink && uptime_s > uplink.since_s + kYoungUplink) {
    add(to, Severity::warning, Check::uplink_young, host.name,
        "its session with busroot is only " + human_seconds(uplink.since_s) + " old");
  }
}

void check_sessions(const std::string& where, std::uint64_t sessions, Findings& to) {
  if (sessions < kFlapping) return;
  add(to, Severity::warning, Check::flapping_link, where,
      std::to_string(sessions) + " sessions in ten minutes");
}

void check_vitals(const ProcessInfo& process, Findings& to) {
  const Vitals& vitals = process.vitals;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (vitals.resent_per_s >= kResends && vitals.sent_per_s > 0 &&
      share(vitals.resent_per_s, vitals.sent_per_s) > kResendShare) {
    add(to, Severity::warning, Check::resend_rate, process.name,
        std::to_string(vitals.resent_per_s) + " of " + std::to_string(vitals.sent_per_s) +
            " messages in a second were sent again");
  }
  if (share(vitals.window_bytes, bus::kProcessWindow) >= kWindowShare) {
    add(to, Severity::warning, Check::window_near_limit, process.name,
        human_bytes(static_cast<double>(vitals.window_bytes)) + " unacknowledged of " +
            human_bytes(static_cast<double>(bus::kProcessWindow)));
  } else if (share(vitals.stuck_bytes, bus::kChannelWindow) >= kWindowShare) {
    add(to, Severity::warning, Check::window_near_limit, process.name,
        human_bytes(static_cast<double>(vitals.stuck_bytes)) + " of " +
            human_bytes(static_cast<double>(bus::kChannelWindow)) + " to channel " +
            vitals.stuck_channel + ", whose owner is silent");
  }
  if (vitals.oldest_move_ms >= static_cast<double>(kStalledMove.count())) {
    add(to, Severity::warning, Check::stalled_move, process.name,
        vitals.oldest_move + " moves since " + human_milliseconds(vitals.oldest_move_ms));
  }
}

}  // namespace

void check_root(const Cluster& cluster, Findings& to) {
  if (!cluster.root) {
    add(to, Severity::error, Check::root_unreachable, "busroot", text_of(cluster.root_trouble));
    return;
  }
  if (!cluster.root->grace) return;
  const std::vector<std::string>& hosts = cluster.root->waiting_for;
  add(to, Severity::warning, Check::grace, "busroot",
      hosts.empty() ? "in grace" : "in grace, waiting for " + joined(hosts));
}

void check_hosts(const Cluster& cluster, Findings& to) {
  for (const HostView& host : cluster.hosts) {
    if (host.row) check_sessions(host.name, host.row->recent_sessions, to);
    if (host.topology) check_uplink(host, cluster.local.uptime_s, to);
    if (host.row && !host.row->connected) {
      add(to, Severity::error, Check::host_down, host.name,
          "busroot knows it, but has no link to it");
    } else if (host.trouble.code != Errc::ok) {
      add(to, Severity::warning, Check::host_no_answer, host.name, text_of(host.trouble));
    }
  }
}

void check_processes(const Cluster& cluster, Findings& to) {
  for (const HostView& host : cluster.hosts) {
    for (const ProcessInfo& process : host.processes()) {
      check_sessions(process.name, process.recent_sessions, to);
      check_vitals(process, to);
      if (!process.connected) {
        add(to, Severity::warning, Check::process_gone, process.name, "has no link to its busd");
      }
      const std::uint64_t quota =
          process.max_names > 0 ? process.max_names : bus::kMaxNamesPerProcess;
      if (static_cast<double>(process.names) < kQuotaWarning * static_cast<double>(quota)) continue;
      add(to, process.names >= quota ? Severity::error : Severity::warning, Check::names_near_quota,
          process.name, std::to_string(process.names) + " names of " + std::to_string(quota));
    }
  }
}

void check_services(const Examination& examination, Findings& to) {
  if (examination.manager.code == bus::Errc::unreachable) {  // bustop itself has no link: its fault
    add(to, Severity::warning, Check::manager_silent, "bustop",
        "cannot ask the manager: " + examination.manager.detail, std::string(kUnreachableCure));
  } else if (examination.manager.code != bus::Errc::ok) {
    add(to, Severity::warning, Check::manager_silent, "manager",
        "does not answer: " + examination.manager.to_string());
  }
  if (!examination.setbacks) return;
  for (const auto& row : examination.setbacks->rows) {
    if (!row.quarantined) continue;
    add(to, Severity::error, Check::service_quarantined, row.instance,
        "is in quarantine: " + std::to_string(row.deaths) +
            " hosts died while it started or was "
            "young, " +
            row.host + " last",
        "read the log and core dump of " + row.host +
            "; when the cause is removed: bustop cluster "
            "--release " +
            row.instance);
  }
}

void check_versions(const Examination& examination, Findings& to) {
  std::map<std::string, std::vector<std::string>> seen;  // version -> daemons
  for (const DaemonReading& reading : examination.after) {
    if (!reading.status.version.empty()) seen[reading.status.version].push_back(reading.name);
  }
  if (seen.size() < 2) {
    // Hosts that could not be asked still reported their versions to busroot.
    seen.clear();
    for (const HostView& host : examination.cluster.hosts) {
      if (!host.software().empty()) seen[host.software()].push_back(host.name);
    }
  }
  if (seen.size() < 2) return;
  std::string what;
  for (const auto& [version, daemons] : seen) {
    what += (what.empty() ? "" : "; ") + version + " on " + daemons.front();
    if (daemons.size() > 1) what += " and " + std::to_string(daemons.size() - 1) + " more";
  }
  add(to, Severity::warning, Check::version_mix, "cluster", what);
}

}  // namespace starbus::bustop::checks
