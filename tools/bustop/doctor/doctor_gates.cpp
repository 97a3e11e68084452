// Gates and logins: whether players get in, and are served.
#include <algorithm>
#include <cmath>
#include <string>

#include "tools/bustop/doctor/doctor_checks.hpp"
#include "tools/bustop/manager_link.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop::checks {
namespace {

constexpr double kDayMs = 86'400'000;
constexpr double kCertificateWarning = 14 * kDayMs;
constexpr double kCertificateError = 3 * kDayMs;
constexpr double kFullWarning = 0.9;
constexpr double kLostError = 0.1;    // of the sessions of a gate
constexpr double kSlowPerSecond = 1;  // of one gate; a bad line now and then is no fault of ours
constexpr double kSkewWarningMs = 2'000;
constexpr double kSkewError = 15'000;  // half of the life of a ticket

double real_at(const nlohmann::json& from, const char* key) {
  return static_cast<double>(number_at(from, key));
}

template <class Readings>
const nlohmann::json* earlier(const Readings& readings, const std::string& process) {
  const auto found = std::ranges::find(readings, process, &NodeReading::process);
  return found == readings.end() || found->trouble.code != Errc::ok ? nullptr : &found->report;
}

void check_certificate(const GateReading& gate, Findings& to) {
  const double ends = 1000 * real_at(gate.report, "certificates_expire");
  if (ends == 0) return;  // no TLS
  const double left = ends - real_at(gate.report, "now_ms");
  if (left >= kCertificateWarning) return;
  const std::string what = left <= 0 ? "its certificate has ended"
                                     : "its certificate ends in " + human_milliseconds(left);
  add(to, left < kCertificateError ? Severity::error : Severity::warning, Check::certificate_ends,
      gate.process, what);
}

void check_room(const GateReading& gate, Findings& to) {
  if (flag_at(gate.report, "draining")) {
    add(to, Severity::info, Check::gate_closed, gate.process, "drains: it hands its sessions over");
    return;
  }
  for (const auto& [held, most] :
       {std::pair("sessions", "most_sessions"), std::pair("connections", "most_connections")}) {
    const double limit = real_at(gate.report, most);
    if (limit == 0 || real_at(gate.report, held) < kFullWarning * limit) continue;
    const bool full = real_at(gate.report, held) >= limit;
    add(to, full ? Severity::error : Severity::warning, Check::gate_closed, gate.process,
        std::to_string(number_at(gate.report, held)) + " of " +
            std::to_string(number_at(gate.report, most)) + " " + held +
            (full ? ": it is full" : ""));
  }
}

void check_lost(const GateReading& gate, Findings& to) {
  if (gate.lost == 0) return;
  const auto sessions = number_at(gate.report, "sessions");
  const bool many = static_cast<double>(gate.lost) > kLostError * static_cast<double>(sessions);
  add(to, many ? Severity::error : Severity::warning, Check::sessions_without_home, gate.process,
      std::to_string(gate.lost) + " of " + count_of(sessions, "session") +
          ": nobody answers for their player for " +
          human_milliseconds(static_cast<double>(kLostTime)) + " or longer");
}

void check_slow(const GateReading& gate, const nlohmann::json* before, double seconds,
                Findings& to) {
  if (before == nullptr || seconds <= 0 || !before->contains("counters")) return;
  if (!gate.report.contains("counters")) return;
  const auto then = number_at((*before)["counters"], "too_slow");
  const auto now = number_at(gate.report["counters"], "too_slow");
  if (now < then) return;  // it has begun again
  if (static_cast<double>(now - then) <= kSlowPerSecond * seconds) return;
  add(to, Severity::warning, Check::clients_cut_slow, gate.process,
      count_of(now - then, "client") + " cut as too slow in " + human_seconds(seconds));
}

void check_clock(const NodeReading& node, Findings& to) {
  const double away = std::abs(node.skew_ms) - node.unsure_ms;
  if (away <= kSkewWarningMs) return;
  add(to, away > kSkewError ? Severity::error : Severity::warning, Check::clock_skew, node.process,
      "its clock is " + human_milliseconds(std::abs(node.skew_ms)) +
          (node.skew_ms < 0 ? " behind" : " ahead of") + " that of this machine");
}

void check_queue(const NodeReading& login, const nlohmann::json* before, double seconds,
                 Findings& to) {
  if (before == nullptr) return;
  const auto queued = std::min(number_at(*before, "queued"), number_at(login.report, "queued"));
  if (queued == 0 || number_at(*before, "admitted") != number_at(login.report, "admitted")) return;
  add(to, Severity::warning, Check::login_queue_stuck, login.process,
      count_of(queued, "player") + " in its queue, and none was let in within " +
          human_seconds(seconds));
}

}  // namespace

void check_gates(const Examination& examination, Findings& to) {
  if (examination.gates_trouble.code != bus::Errc::ok) {
    const bool unreachable = examination.gates_trouble == bus::Errc::unreachable;
    add(to, Severity::warning, Check::gate_silent, "bustop",
        "cannot ask gates and logins: " + examination.gates_trouble.to_string(),
        unreachable ? std::string(kUnreachableCure) : std::string());
  }
  if (!examination.gates) return;
  const GateReadings& after = *examination.gates;
  const GateReadings none;
  const GateReadings& before = examination.gates_before ? *examination.gates_before : none;
  const double seconds = (after.at_ms - before.at_ms) / 1000;
  for (const GateReading& gate : after.gates) {
    if (gate.trusted) {
      add(to, Severity::warning, Check::gate_trusted, gate.process,
          "runs in a role that has the trust of a server");
    }
    if (gate.trouble.code != bus::Errc::ok) {
      add(to, Severity::warning, Check::gate_silent, gate.process, gate.trouble.to_string());
      continue;
    }
    check_certificate(gate, to);
    check_room(gate, to);
    check_lost(gate, to);
    check_slow(gate, earlier(before.gates, gate.process), seconds, to);
    check_clock(gate, to);
  }
  if (!after.gates.empty() && !after.login_there) {
    add(to, Severity::error, Check::login_missing, "cluster",
        "no login is ready, and " + count_of(after.gates.size(), "gate") + " need one");
  }
  for (const NodeReading& login : after.logins) {
    if (login.trouble.code != bus::Errc::ok) {
      add(to, Severity::warning, Check::gate_silent, login.process, login.trouble.to_string());
      continue;
    }
    check_queue(login, earlier(before.logins, login.process), seconds, to);
    check_clock(login, to);
  }
}

}  // namespace starbus::bustop::checks
