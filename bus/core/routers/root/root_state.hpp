/// The configuration of busroot's router, and the state that its parts share: hosts, directory,
/// moves, and whether grace lasts. Plain data with look-ups.
///
/// Belongs to the router's thread. The router owns it, and it outlives the parts; hosts own their
/// processes, which own their names in the directory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/core/routers/forwarding.hpp"
#include "bus/core/routers/limits.hpp"
#include "bus/core/routers/links.hpp"
#include "bus/core/routers/root/directory.hpp"
#include "bus/core/routers/root/former_owners.hpp"
#include "bus/core/routers/root/grant_bounds.hpp"
#include "bus/core/routers/root/root_host.hpp"
#include "bus/core/routers/root/root_moves.hpp"
#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {

/// The outside world of a RootRouter, beyond links. Must not call back into the router.
class RootShell : public RouterShell {
 public:
  /// May the holder of this CURVE key (empty: no CURVE) appear as this host? unauthorized if not.
  virtual Result<> allow_host(const std::string& key, const std::string& host) = 0;
  /// What this host may do. Its session keeps the answer until RootRouter::review_hosts().
  virtual HostRights rights_of(const std::string& host) {
    static_cast<void>(host);
    return {};
  }
  /// Stores the names of all hosts to wait for after a restart. A list with a new host must be on
  /// disk when this returns, because names may be granted there at once; an error keeps the host
  /// out.
  virtual Result<> remember_hosts(const std::vector<std::string>& hosts) = 0;
  /// Stores how many epochs each term may have granted (RootConfig::bounds). It must be on disk
  /// when this returns; after an error nothing beyond the last one is granted.
  virtual Result<> remember_bounds(const std::vector<GrantBound>& bounds) {
    static_cast<void>(bounds);
    return {};
  }
  /// An admin request for busroot itself, answered later by RootRouter::answer.
  virtual void answer_query(const Query& query) = 0;
  /// The answer to a query of RootRouter::ask.
  virtual void on_answer(const Answer& answer) = 0;

 protected:
  ~RootShell() = default;
};

/// The configuration of a busroot.
struct RootConfig {
  std::uint64_t term = 1;  // higher than at every start before
  std::string name = "busroot";
  std::vector<std::string> journaled;  // hosts to wait for
  std::vector<GrantBound> bounds{};    // the latest that were given to remember_bounds
  std::string software;                // "starbus 0.1.0"
  Time lease = kLease;
  std::size_t max_hosts = kMaxHosts;
  std::uint8_t minor = kVersionMinor;  // the highest minor version that is spoken
};

/// The part of a complete table that a session has sent so far.
struct PendingTable {
  struct PendingRow {
    Process process;
    Row row;
    ChannelId id;
  };
  boost::unordered_flat_map<Process, ProcessUp> processes;
  std::vector<PendingRow> rows;
  std::vector<PendingRow> impossible;  // never granted: they are not compared
};

/// A known host, with its session while it has one.
struct HostEntry final : RootHost, LinkAttachment {
  RouterLink* session = nullptr;
  std::unique_ptr<PendingTable> pending;  // until TABLE_END
  std::vector<Target> part;               // of the multicast that is being routed
};

struct RootState {
  RootState(Links& l, Forwarding& f, RootShell& s, RootConfig c)
      : links(l),
        forwarding(f),
        shell(s),
        config(std::move(c)),
        bounds(config.term, config.bounds) {}

  Links& links;
  Forwarding& forwarding;
  RootShell& shell;
  const RootConfig config;
  bool grace = true;
  std::uint64_t granted = 0;  // epochs of this term
  boost::unordered_flat_map<std::uint32_t, std::unique_ptr<HostEntry>> hosts;
  Directory directory;  // its owners are in `hosts`: it is destroyed first
  RootMoves moves;
  GrantBounds bounds;
  FormerOwners former;

  /// Reserves numbers for the next grants, if less than half a step is left. Called at the start
  /// and at each tick: a disk that is full is found long before the last number.
  void reserve_grants();
  /// False if there is no number left that the disk knows of.
  bool may_grant();
  Epoch fresh_epoch() { return Epoch::of(config.term, ++granted); }
  /// No name has a higher epoch.
  Epoch latest_epoch() const { return Epoch::of(config.term, granted); }
  /// Null if there is none.
  HostEntry* find_host(std::string_view name) const;
  RootProcess* find_process(const Process& id) const;
  RootMove move_of(const Directory::Entry& entry) const;

  /// To the busd of the process; dropped if its host has no session.
  template <class Record>
  void reply(const RootProcess& process, const Record& record) {
    RouterLink* const session = static_cast<HostEntry&>(process.host).session;
    if (session) links.tell(*session, record);
  }
};

/// The process that owns the name, and its host. The directory's owners are always RootProcess.
inline RootProcess& owner_of(const Directory::Entry& entry) {
  return static_cast<RootProcess&>(entry.owner());
}
inline HostEntry& host_of(const Directory::Entry& entry) {
  return static_cast<HostEntry&>(owner_of(entry).host);
}

}  // namespace starbus::bus
