#include "busd/shares_report.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace starbus::busd {
namespace {

std::string program_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

using daemon::LinkShell;

double seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// Adds what each has used of the loop; a program that uses most of it is shown in any case.
void add_loop_use(report::UserShare& user, const std::vector<LinkShell::LoopUse>& loop) {
  const LinkShell::LoopUse* most = nullptr;
  for (const LinkShell::LoopUse& use : loop) {
    if (use.uid != user.uid) continue;
    if (use.pid == 0) {
      user.loop_s = seconds(use.used);
      continue;
    }
    const auto program = std::ranges::find(user.programs, use.pid, &report::ProgramShare::pid);
    if (program != user.programs.end()) program->loop_s = seconds(use.used);
    if (most == nullptr || use.used > most->used) most = &use;
  }
  if (most == nullptr) return;
  const auto shown = std::ranges::find(user.programs, most->pid, &report::ProgramShare::pid);
  if (shown != user.programs.end()) return;
  user.programs.push_back(
      {.pid = most->pid, .program = program_of(most->pid), .loop_s = seconds(most->used)});
}

}  // namespace

report::HostShares shares_of(const bus::AccountReport& accounts,
                             const std::vector<LinkShell::LoopUse>& loop) {
  report::HostShares shares{.processes = {accounts.processes, accounts.max_processes},
                            .names = {accounts.names, accounts.max_names},
                            .queued_bytes = {accounts.queued, accounts.max_queued},
                            .users = {}};
  for (const bus::UserHoldings& user : accounts.users) {
    report::UserShare& share = shares.users.emplace_back();
    share.uid = user.uid;
    share.links = user.links;
    share.processes = user.processes;
    share.names = user.names;
    share.queued_bytes = user.queued;
    share.over_rate = user.over_rate;
    for (const bus::ProgramHoldings& program : user.programs) {
      share.programs.push_back({.pid = program.pid,
                                .program = program_of(program.pid),
                                .processes = program.processes,
                                .names = program.names,
                                .over_rate = program.over_rate});
    }
    add_loop_use(share, loop);
  }
  return shares;
}

}  // namespace starbus::busd
