/// The configuration and the counters of busd's router, and the state that its parts share. Plain
/// data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bus/core/routers/forwarding.hpp"
#include "bus/core/routers/host/access_list.hpp"
#include "bus/core/routers/host/host_table.hpp"
#include "bus/core/routers/links.hpp"
#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {

/// A process as busd's journal knows it.
struct JournaledProcess {
  std::string node;
  std::string role;
  std::uint64_t incarnation = 0;
  std::int64_t pid = 0;  // 0: unknown
  std::uint32_t uid = User::kNobody;
};

/// The outside world of a HostRouter. Must not call back into the router.
class HostShell : public RouterShell {
 public:
  /// From now on `pid_ended` must be called when this process ends; at once if it has ended.
  virtual void watch_pid(std::int64_t pid) = 0;
  virtual void unwatch_pid(std::int64_t pid) = 0;
  /// Whether a watched process has ended already; `pid_ended` may still be on its way.
  virtual bool has_ended(std::int64_t) { return false; }
  /// busroot's term has grown: keep it through restarts (HostConfig::highest_term).
  virtual void remember_term(Epoch term) = 0;
  /// A process has started, or has ended: keep it through restarts of busd (HostConfig::journaled)
  /// before this returns. Restarts of the machine end the processes, too.
  virtual void journal(const JournaledProcess& process, bool lives) = 0;
  /// Another daemon asks this host: call `answer` later.
  virtual void answer_query(const Query& query) = 0;
  /// The session with busroot ended, whichever side ended it: connect again.
  virtual void uplink_ended(const Error& reason) = 0;

 protected:
  ~HostShell() = default;
};

struct HostConfig {
  std::string host;
  std::string software;
  AccessList access;
  std::uint64_t incarnation = 0;  // grows from start to start
  Epoch highest_term;             // the latest value given to remember_term
  Time lease = kLease;
  /// Processes given to `journal` that still live. They are announced, and keep the names that they
  /// own until they are back or their lease has ended.
  std::vector<JournaledProcess> journaled;
  std::size_t max_processes = kMaxProcesses;  // of all users, by shares
  std::size_t max_names = kMaxNamesPerHost;   // of all users, by shares
  std::uint8_t minor = kVersionMinor;         // the highest minor version that is spoken
};

/// Counters that only a busd has.
struct HostCounters {
  std::uint64_t not_local = 0;        // from busroot, for a name that is not here: dropped
  std::uint64_t without_session = 0;  // for a process between two sessions
  std::uint64_t without_uplink = 0;   // for another host, while busroot is away
  std::uint64_t over_rate = 0;        // above the role's rate
  std::uint64_t foreign_replies = 0;  // for a channel of another process: dropped, may be late
  std::uint64_t undelivered = 0;      // messages that processes report as not arrived
  std::uint64_t denied = 0;           // sessions ended for breaking the access list
  std::uint64_t processes_ended = 0;
  std::uint64_t leases_ended = 0;  // of those, because they had no session
};

/// The link of a busd to busroot, for admin and metrics.
struct UplinkStatus {
  bool connected = false;  // a link is up
  bool greeted = false;    // busroot has accepted this host
  LinkId link = 0;
  Time since{};  // of the present state
  Epoch term;    // of the latest busroot
  /// No number of `term` above this one was granted when the latest session began, nor has passed
  /// here since; kNoBound if busroot has not said.
  std::uint64_t granted = kNoBound;
  static constexpr std::uint64_t kNoBound = ~std::uint64_t{0};
  Error last_error;
};

/// The state that the parts of one HostRouter share; the router owns it, and it outlives the parts.
struct HostState {
  HostState(Links& l, Forwarding& f, HostShell& s, HostConfig c)
      : links(l), forwarding(f), shell(s), config(std::move(c)), table(config.host) {}

  Links& links;
  Forwarding& forwarding;
  HostShell& shell;
  const HostConfig config;
  HostTable table;
  HostCounters counters;
};

}  // namespace starbus::bus
