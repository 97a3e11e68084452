/// Watches of hosts at busroot. A watcher gets a snapshot in pieces, then every change of the
/// directory in order. During grace the snapshot waits, so that no watcher takes half a cluster for
/// all of it.
///
/// A watched prefix of one kind, such as `node/` or `gate/eu-`, does not outgrow its watchers: the
/// name that would is refused, first those of the host that holds most (room_for). A watch of
/// several kinds, or of a prefix that was too large before, is answered WATCH_REFUSED, as is a host
/// with too many watches. Each tick sends a bounded number of rows. Part of RootRouter: same
/// thread; keeps no rows.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/root_watches.hpp"

namespace starbus::bus {

class WatchPublisher {
 public:
  enum class Change { added, changed, removed };

  explicit WatchPublisher(RootState& root);

  Result<> on_watch(HostEntry& host, ByteView payload);
  Result<> on_unwatch(HostEntry& host, ByteView payload);
  /// The link has ended, and its watches with it.
  void forget(LinkId watcher);

  /// Whether this host may have the name, which has no owner. too_many_names: the host holds as
  /// many as it may, or as many of a watched prefix as its share.
  Result<> room_for(std::string_view name, const HostEntry& host);
  /// Tells the watchers of the name. For `removed`, before the entry is erased; for `changed`,
  /// `from` is the id of the host that had it.
  void publish(const Directory::Entry& entry, Change change, std::uint32_t from = 0);
  /// Sends snapshots in turn within the budget of this tick: a host that watches and unwatches
  /// without end costs the others no more than that.
  void serve();
  void tick();
  std::size_t prefixes() const { return watches_.size(); }

 private:
  static void count(WatchTable::Watch& watch, const Directory::Entry& entry, Change change,
                    std::uint32_t from);
  void count(WatchTable::Watch& watch);
  void send_snapshot(WatchTable::Watch& watch, LinkId to);
  void refuse(const std::string& prefix, const std::vector<LinkId>& watchers, const Error& why);

  RootState& root_;
  WatchTable watches_;
  std::set<std::pair<LinkId, std::string>> wanted_;  // snapshots that are due
  std::pair<LinkId, std::string> last_served_;
  std::int64_t budget_ = kWatchBudget;  // rows that may be sent until the next tick
  Bytes record_;                        // scratch
};

}  // namespace starbus::bus
