/// The watches of one host's processes: busroot is asked once per prefix, and what it says is kept,
/// so that later watchers are served at once and a restart of busroot shows only as a difference.
///
/// Single-threaded, sans-IO; owns the rows. Watchers are sessions: they vanish with their link.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bus/core/routers/router.hpp"
#include "bus/core/routers/row_set.hpp"

namespace starbus::bus {

class HostWatchOutlet {
 public:
  virtual void tell_watcher(LinkId watcher, ByteView record) = 0;
  /// Whether a snapshot may be begun; if not, it is tried again at the next tick.
  virtual bool has_room(LinkId watcher) = 0;
  /// May be lost while there is no session with busroot: `renew` repeats it.
  virtual void tell_root(const Watch& watch) = 0;
  virtual void tell_root(const Unwatch& unwatch) = 0;

 protected:
  ~HostWatchOutlet() = default;
};

class HostWatches {
 public:
  explicit HostWatches(HostWatchOutlet& outlet) : outlet_(outlet) {}

  /// A snapshot follows, at once if the prefix is known; too_many_watches or bad_name are told.
  void watch(LinkId watcher, const std::string& prefix);
  void unwatch(LinkId watcher, const std::string& prefix);
  void forget(LinkId watcher);

  void on_rows(WatchRows&& rows);
  void on_refused(const WatchRefused& refused);
  /// A new session with busroot: asks for everything again.
  void renew();

  /// Serves who waits, as far as a new budget goes.
  void tick();

  std::size_t prefix_count() const { return prefixes_.size(); }

 private:
  struct Prefix {
    RowSet rows;
    std::vector<LinkId> watchers;  // have their snapshot
    std::vector<LinkId> waiting;   // for it
    bool idle() const { return watchers.empty() && waiting.empty(); }
  };
  template <class Record>
  void tell_all(const Prefix& prefix, const Record& record);
  void refuse(LinkId watcher, const std::string& prefix, const Error& why);
  void leave(LinkId watcher, const std::string& prefix);
  void serve();
  void serve(Prefix& entry, const std::string& prefix, LinkId watcher);

  HostWatchOutlet& outlet_;
  std::map<std::string, Prefix> prefixes_;
  boost::unordered_flat_map<LinkId, std::set<std::string>> watchers_;
  std::set<std::pair<LinkId, std::string>> wanted_;  // snapshots that could be served
  std::pair<LinkId, std::string> last_served_;
  std::int64_t budget_ = kWatchBudget;  // rows that may be sent until the next tick
  Bytes scratch_;
};

}  // namespace starbus::bus
