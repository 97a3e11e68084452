/// The watches of one host's processes: busroot is asked once per prefix, and its rows are kept, so
/// that later watchers are served at once and a restart of busroot shows only as a difference.
///
/// A watcher is the link of a process; its watches end with the link. It gets its snapshot in turns
/// of kWatchTurn rows, and each change from the first piece on. A watch that busroot or a limit
/// refuses is answered WATCH_REFUSED. Part of HostRouter: same thread; owns the rows.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/routers/links.hpp"
#include "bus/core/routers/row_set.hpp"

namespace starbus::bus {

class HostWatches {
 public:
  HostWatches(Links& links, Uplink& uplink) : links_(links), uplink_(uplink) {}

  /// A snapshot follows, at once if the prefix is known; or WATCH_REFUSED with too_many_watches or
  /// bad_name.
  void watch(LinkId watcher, const std::string& prefix);
  void unwatch(LinkId watcher, const std::string& prefix);
  void forget(LinkId watcher);

  void on_rows(WatchRows&& rows);
  void on_refused(const WatchRefused& refused);
  /// A new session with busroot: asks for every prefix again.
  void renew();

  /// Serves waiting watchers with a new budget.
  void tick();
  /// Sends kWatchTurn rows of snapshots, within the budget of this tick.
  void serve();
  /// Whether serve() has more to send before the next tick.
  bool unfinished() const { return unfinished_; }

  std::size_t prefix_count() const { return prefixes_.size(); }

 private:
  struct Prefix {
    RowSet rows;
    std::vector<LinkId> watchers;  // have their snapshot
    std::vector<LinkId> waiting;   // for their snapshot
    bool idle() const { return watchers.empty() && waiting.empty(); }
  };
  template <class Record>
  void tell_all(const Prefix& prefix, const Record& record);
  void refuse(LinkId watcher, const std::string& prefix, const Error& why);
  void tell(LinkId watcher, ByteView record);
  /// Whether a snapshot may be begun; if not, it is tried again at the next tick.
  bool has_room(LinkId watcher);
  void leave(LinkId watcher, const std::string& prefix);
  AccountId account_of(LinkId watcher);
  void ask(AccountId who, const std::string& prefix);
  bool try_to_ask(AccountId who, const std::string& prefix);
  void ask_again();
  bool has_root_room() const;
  bool send_piece(const std::string& prefix, LinkId watcher, SnapshotPlace& place);
  void want(LinkId watcher, const std::string& prefix) { wanted_[{watcher, prefix}] = {}; }

  Links& links_;
  Uplink& uplink_;
  std::map<std::string, Prefix> prefixes_;
  boost::unordered_flat_map<LinkId, std::set<std::string>> watchers_;
  /// Snapshots that could be served, and how far they are.
  std::map<std::pair<LinkId, std::string>, SnapshotPlace> wanted_;
  std::pair<LinkId, std::string> last_served_;
  /// Busroot does not know yet that they are watched, or not any more; by who watched or left.
  std::map<AccountId, std::set<std::string>> unasked_;
  AccountId last_asked_ = 0;
  std::int64_t budget_ = kWatchBudget;  // rows that may be sent until the next tick
  bool unfinished_ = false;
  Bytes scratch_;
};

}  // namespace starbus::bus
