#include "tools/bustop/doctor/doctor.hpp"

#include <algorithm>
#include <array>

#include "tools/bustop/doctor/doctor_checks.hpp"

namespace starbus::bustop {
namespace {

constexpr std::array kChecks = {
#define X(check, why, cure) CheckInfo{Check::check, #check, why, cure},
    STARBUS_DOCTOR_CHECKS(X)
#undef X
};

const DaemonReading* find(const std::vector<DaemonReading>& readings, const std::string& name) {
  const auto found = std::ranges::find(readings, name, &DaemonReading::name);
  return found == readings.end() || found->trouble.code != Errc::ok ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"info", "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

const CheckInfo& info_of(Check check) {
  return kChecks[static_cast<std::size_t>(check)];
}

std::size_t check_count() {
  return kChecks.size();
}

namespace checks {

void add(Findings& to, Severity severity, Check check, std::string where, std::string what,
         std::string cure) {
  if (cure.empty()) cure = info_of(check).cure;
  to.push_back({severity, check, std::move(where), std::move(what), std::move(cure)});
}

}  // namespace checks

std::vector<Finding> diagnose(const Examination& examination) {
  std::vector<Finding> findings;
  if (examination.unreachable.code != Errc::ok) {
    checks::add(findings, Severity::error, Check::daemon_unreachable, "this host",
                examination.unreachable.to_string());
    return findings;
  }
  checks::check_root(examination.cluster, findings);
  checks::check_hosts(examination.cluster, findings);
  checks::check_processes(examination.cluster, findings);
  for (const DaemonReading& after : examination.after) {
    if (after.trouble.code != Errc::ok) continue;  // check_root and check_hosts report it
    const DaemonReading* before = find(examination.before, after.name);
    checks::check_daemon(before, after, findings);
    checks::check_shares(before, after, findings);
    checks::check_counters(before, after, findings);
    checks::check_links(before, after, findings);
  }
  checks::check_mail_shards(examination, findings);
  checks::check_services(examination, findings);
  checks::check_gates(examination, findings);
  checks::check_versions(examination, findings);
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::severity);
  return findings;
}

int exit_code_of(const std::vector<Finding>& findings) {
  int worst = 0;
  for (const Finding& finding : findings) {
    if (finding.check == Check::daemon_unreachable) return 3;
    worst = std::max(worst, static_cast<int>(finding.severity));
  }
  return worst;
}

}  // namespace starbus::bustop
