/// Who holds how much of what busd has for all: for operators, who must find the one program that
/// crowds out others.
///
/// A snapshot, made when somebody asks: it costs a pass over processes and links. Plain values of
/// bounded size; the router's thread makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/limits.hpp"

namespace starbus::bus {

/// The sessions of one operating system process.
struct ProgramHoldings {
  std::int64_t pid = 0;  // 0: unknown
  std::size_t processes = 0;
  std::size_t names = 0;        // with those that are claimed or moving
  std::uint64_t over_rate = 0;  // records refused or dropped above its rate or share
};

/// All sessions of one user.
struct UserHoldings {
  std::uint32_t uid = 0;
  std::size_t links = 0;  // also those that have not said hello
  std::size_t processes = 0;
  std::size_t names = 0;
  std::size_t queued = 0;       // bytes that it has sent and that wait in queues
  std::uint64_t over_rate = 0;  // records and hellos, while it has processes
  /// The first kReportedRows by processes, and the first by over_rate.
  std::vector<ProgramHoldings> programs;
};

/// Used by all, and the limits (HostConfig, kQueuesTotal).
struct AccountReport {
  std::size_t processes = 0, max_processes = 0;
  std::size_t names = 0, max_names = 0;
  std::size_t queued = 0, max_queued = 0;  // bytes
  /// The first kReportedRows by the largest part of a limit, and the first by over_rate.
  std::vector<UserHoldings> users;
};

/// Of all users with a process or a link here; the uplink is nobody's. Thread of the router.
AccountReport report_accounts(HostState& host);

}  // namespace starbus::bus
