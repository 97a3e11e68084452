#pragma once

#include "bus/core/routers/host/account_report.hpp"
#include "daemon/report/shares.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::busd {

/// The figures of the router and of the loop as /status has them, with the names of the programs
/// from /proc. Reads one short file there for each program in the report. Thread of the loop.
report::HostShares shares_of(const bus::AccountReport& accounts,
                             const std::vector<daemon::LinkShell::LoopUse>& loop);

}  // namespace starbus::busd
