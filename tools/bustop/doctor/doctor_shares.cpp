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
constexpr double kLoopWarning = 0.5;        // of the time between two readings

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

/// Seconds of busd's loop since the earlier reading. The count begins again with the first link.
template <class Row>
double loop_time(const Row& before, const Row& after) {
  return after.loop_s >= before.loop_s ? after.loop_s - before.loop_s : after.loop_s;
}

enum class By { holdings, refusals, loop };

/// The program that has done most of that between the readings, or has most sessions and names.
std::string culprit(const UserShare& before, const UserShare& after, By by) {
  const auto weight = [&](const ProgramShare& program) {
    const auto then =
        earlier_row(&before.programs, &ProgramShare::pid, static_cast<std::uint64_t>(program.pid));
    if (by == By::loop) return loop_time(then, program);
    if (by == By::refusals) return static_cast<double>(refused(then, program));
    return static_cast<double>(program.processes + program.names);
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
    const double loop = then != nullptr ? loop_time(earlier, user) : 0;
    const bool hogs = seconds > 0 && loop > kLoopWarning * seconds;
    if (most < kShareWarning && !pushes && !hogs) continue;
    const By by = pushes ? By::refusals : hogs ? By::loop : By::holdings;
    std::string what = culprit(earlier, user, by) + ": this user has " +
                       of_all(user.processes, shares.processes, "sessions, ") +
                       of_all(user.names, shares.names, "names, ") +
                       human_bytes(static_cast<double>(user.queued_bytes)) + " of " +
                       human_bytes(static_cast<double>(shares.queued_bytes.limit)) + " in queues";
    if (refusals != 0) {
      what +=
          ", and was refused " + std::to_string(refusals) + " times in " + human_seconds(seconds);
    }
    if (hogs) {
      what += ", and what it sent took " + human_milliseconds(1000 * loop) + " of " +
              human_seconds(seconds) + " of busd's loop";
    }
    add(to, most < kShareError ? Severity::warning : Severity::error, Check::user_takes_most,
        after.name, what);
  }
}

}  // namespace starbus::bustop::checks
