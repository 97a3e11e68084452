#include "busd/shares_report.hpp"

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

}  // namespace

report::HostShares shares_of(const bus::AccountReport& accounts) {
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
  }
  return shares;
}

}  // namespace starbus::busd
