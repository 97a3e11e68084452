// Which user takes most of what a host has for all, and which program of it.
#include <algorithm>
#include <string>

#include "tools/bustop/doctor/doctor_checks.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop::checks {
namespace {

using report::HostShares;
using report::ProgramShare;
using report::Usage;
using report::UserShare;

constexpr double kShareWarning = 0.5;  // of a limit; one user alone may have 8/9
constexpr double kShareError = 0.8;
constexpr double kRefusedPerSecond = 1000;  // a sender that is held back tries more seldom

double part(std::uint64_t held, const Usage& usage) {
  return usage.limit == 0 ? 0 : static_cast<double>(held) / static_cast<double>(usage.limit);
}

template <class Rows, class Key>
auto earlier_row(const Rows* rows, Key key, std::uint64_t value) {
  const auto none = typename Rows::value_type{};
  if (rows == nullptr) return none;
  const auto found = std::ranges::find_if(
      *rows, [&](const auto& row) { return static_cast<std::uint64_t>(row.*key) == value; });
  return found == rows->end() ? none : *found;
}

template <class Row>
std::uint64_t refused(const Row& before, const Row& after) {
  return after.over_rate > before.over_rate ? after.over_rate - before.over_rate : 0;
}

/// The program that was refused most between the readings, or else that has most sessions.
std::string culprit(const UserShare& before, const UserShare& after, std::uint64_t refusals) {
  const auto weight = [&](const ProgramShare& program) {
    const auto then =
        earlier_row(&before.programs, &ProgramShare::pid, static_cast<std::uint64_t>(program.pid));
    return refusals == 0 ? program.processes + program.names : refused(then, program);
  };
  const auto most = std::ranges::max_element(after.programs, {}, weight);
  if (most == after.programs.end()) return "uid " + std::to_string(after.uid);
  std::string who = "pid " + std::to_string(most->pid);
  if (!most->program.empty()) who += " (" + most->program + ")";
  return who + " of uid " + std::to_string(after.uid);
}

std::string of_all(std::uint64_t held, const Usage& usage, const std::string& what) {
  return std::to_string(held) + " of " + std::to_string(usage.limit) + " " + what;
}

}  // namespace

void check_shares(const DaemonReading* before, const DaemonReading& after, Findings& to) {
  if (!after.status.shares) return;
  const HostShares& shares = *after.status.shares;
  const bool same = before != nullptr && before->status.pid == after.status.pid;
  const HostShares* then = same && before->status.shares ? &*before->status.shares : nullptr;
  const double seconds = same ? after.at_s - before->at_s : 0;
  for (const UserShare& user : shares.users) {
    const UserShare earlier = earlier_row(then ? &then->users : nullptr, &UserShare::uid, user.uid);
    const std::uint64_t refusals = then != nullptr ? refused(earlier, user) : 0;
    const double most =
        std::max({part(user.processes, shares.processes), part(user.names, shares.names),
                  part(user.queued_bytes, shares.queued_bytes)});
    const bool pushes = static_cast<double>(refusals) > kRefusedPerSecond * seconds;
    if (most < kShareWarning && !pushes) continue;
    std::string what = culprit(earlier, user, pushes ? refusals : 0) + ": this user has " +
                       of_all(user.processes, shares.processes, "sessions, ") +
                       of_all(user.names, shares.names, "names, ") +
                       human_bytes(static_cast<double>(user.queued_bytes)) + " of " +
                       human_bytes(static_cast<double>(shares.queued_bytes.limit)) + " in queues";
    if (refusals != 0) {
      what +=
          ", and was refused " + std::to_string(refusals) + " times in " + human_seconds(seconds);
    }
    add(to, most < kShareError ? Severity::warning : Severity::error, Check::user_takes_most,
        after.name, what);
  }
}

}  // namespace starbus::bustop::checks
