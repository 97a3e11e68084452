/// Watches of hosts at busroot. A watcher gets a snapshot in pieces, then every change of the
/// directory in order. During grace the snapshot waits, so that no watcher takes half a cluster for
/// all of it.
///
/// A watched prefix of one kind, such as `node/` or `gate/eu-`, does not outgrow its watchers: the
/// name that would is refused, first those of the host that holds most (room_for). A watch of
/// several kinds, or of a prefix that was too large before, is answered WATCH_REFUSED, as is a host
/// with too many watches. A snapshot is sent in turns of kWatchTurn rows, and within the budget of
/// each tick; a watcher gets changes from its first piece on, so those that come between two pieces
/// are not lost. Part of RootRouter: same thread; keeps no rows.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/root_watches.hpp"
#include "bus/core/routers/row_set.hpp"

namespace starbus::bus {

class WatchPublisher {
 public:
  enum class Change { added, changed, removed };

  explicit WatchPublisher(RootState& root);

  Result<> on_watch(HostEntry& host, ByteView payload);
  Result<> on_unwatch(HostEntry& host, ByteView payload);
  /// The link has ended, and its watches with it.
  void forget(LinkId watcher);

  /// Whether this host may have the name, which has no owner. too_many_names: the host holds
  /// as many of a watched prefix as its share.
  Result<> room_for(std::string_view name, const HostEntry& host);
  /// Tells the watchers of the name. For `removed`, before the entry is erased; for `changed`,
  /// `from` is the id of the host that had it.
  void publish(const Directory::Entry& entry, Change change, std::uint32_t from = 0);
  /// Sends kWatchTurn rows of snapshots within the budget of this tick, to one link after the
  /// other: a host that watches and unwatches without end, or has many watches, costs the others
  /// no more than its turn.
  void serve();
  /// Whether serve() has more to send before the next tick.
  bool unfinished() const { return unfinished_; }
  void tick();
  std::size_t prefixes() const { return watches_.size(); }

 private:
  static void count(WatchTable::Watch& watch, const Directory::Entry& entry, Change change,
                    std::uint32_t from);
  void count(WatchTable::Watch& watch);
  /// The snapshot that a link gets at present, one at a time.
  struct Snapshot {
    std::string prefix;
    SnapshotPlace place = {};
  };
  /// The snapshots that are due to one link.
  struct Wanted {
    std::set<std::string> prefixes;
    std::string last_served;
    std::optional<Snapshot> sending;
    bool empty() const { return prefixes.empty() && !sending; }
  };
  void serve(LinkId to, Wanted& wanted);
  bool begin(WatchTable::Watch& watch, LinkId to);
  bool send_piece(Snapshot& snapshot, LinkId to);
  void refuse(const std::string& prefix, const std::vector<LinkId>& watchers, const Error& why);

  RootState& root_;
  WatchTable watches_;
  /// From its beginning, also if it is under way.
  void want(LinkId watcher, const std::string& prefix);
  void forget_wanted(LinkId watcher, const std::string& prefix);

  std::map<LinkId, Wanted> wanted_;  // none is empty
  LinkId last_served_ = 0;
  std::int64_t budget_ = kWatchBudget;  // rows that may be sent until the next tick
  bool unfinished_ = false;
  Bytes record_;  // scratch
};

}  // namespace starbus::bus
