#include "bus/core/routers/host/account_report.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "bus/core/routers/accounts.hpp"

namespace starbus::bus {
namespace {

double part(std::size_t held, std::size_t limit) {
  return static_cast<double>(held) / static_cast<double>(std::max<std::size_t>(limit, 1));
}

/// Keeps the first kReportedRows in the order of `size`, which are first, and those of over_rate.
template <class Row, class Size>
void keep_heaviest(std::vector<Row>& rows, Size size) {
  std::ranges::sort(rows, std::ranges::greater{}, size);
  if (rows.size() <= kReportedRows) return;
  const auto rest = rows.begin() + kReportedRows;
  std::ranges::sort(rest, rows.end(), std::ranges::greater{}, &Row::over_rate);
  rows.resize(std::min(rows.size(), 2 * kReportedRows));
}

using Programs = std::map<std::int64_t, ProgramHoldings>;

std::map<std::uint32_t, Programs> programs_by_user(HostTable& table) {
  std::map<std::uint32_t, Programs> users;
  table.for_each_process([&](const LocalProcess& process) {
    ProgramHoldings& program = users[process.user.uid][process.pid];
    program.pid = process.pid;
    ++program.processes;
    program.names += process.counted;
    program.over_rate += process.over_rate;
  });
  return users;
}

/// A user without a link may still have processes, and one without a process may have links.
std::map<std::uint32_t, UserHoldings> holdings_by_user(HostState& host) {
  std::map<std::uint32_t, UserHoldings> users;
  host.table.for_each_user([&](std::uint32_t uid, const HostTable::Held& held) {
    UserHoldings& user = users[uid];
    user.processes = held.processes;
    user.names = held.names;
    user.over_rate = held.over_rate;
  });
  const Accounts& accounts = host.links.accounts();
  host.links.for_each([&](const RouterLink& link) {
    if (link.uplink) return;
    UserHoldings& user = users[link.peer.uid];
    ++user.links;
    user.queued = accounts.queued(link.account);
  });
  return users;
}

}  // namespace

AccountReport report_accounts(HostState& host) {
  AccountReport report{.processes = host.table.process_count(),
                       .max_processes = host.config.max_processes,
                       .names = host.table.names_held(),
                       .max_names = host.config.max_names,
                       .queued = host.links.accounts().queued(),
                       .max_queued = kQueuesTotal,
                       .users = {}};
  auto programs = programs_by_user(host.table);
  for (auto& [uid, user] : holdings_by_user(host)) {
    user.uid = uid;
    for (auto& [pid, program] : programs[uid]) user.programs.push_back(program);
    keep_heaviest(user.programs, &ProgramHoldings::processes);
    report.users.push_back(std::move(user));
  }
  keep_heaviest(report.users, [&](const UserHoldings& user) {
    return std::max({part(user.processes, report.max_processes), part(user.names, report.max_names),
                     part(user.queued, report.max_queued)});
  });
  return report;
}

}  // namespace starbus::bus
