#pragma once

#include "bus/core/routers/host/account_report.hpp"
#include "daemon/report/shares.hpp"

namespace starbus::busd {

/// The figures of the router as /status has them, with the names of the programs from /proc. Reads
/// one short file there for each program in the report. Thread of the loop.
report::HostShares shares_of(const bus::AccountReport& accounts);

}  // namespace starbus::busd
