#include "bus/core/routers/root/watch_publisher.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "bus/core/routers/accounts.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kPieceBytes = 48 * 1024;
constexpr std::int64_t kSnapshotRows = 8;  // of an empty snapshot, in rows
constexpr std::int64_t kCountedRows = 8;   // cost as much as one that is sent
// What managers, requirements, gates and mail watch: nobody fills these before they look, either.
constexpr std::string_view kAlwaysCounted[] = {"node/", "ready/", "gate/", "service/", "store/"};

/// A watch of a whole kind, or of less, is kept: names give way. One of several kinds is not.
bool is_kept(const WatchTable::Watch& watch) {
  return watch.prefix.find('/') != watch.prefix.npos;
}

WatchRow row_of(const Directory::Entry& entry, bool present) {
  const RootProcess& owner = owner_of(entry);
  return {present,      std::string(entry.name()), owner.process(), owner.full_name(), entry.epoch,
          entry.lineage};
}

std::size_t size_of(const WatchRow& row) {
  return 35 + row.name.size() + row.owner_name.size();
}

}  // namespace

WatchPublisher::WatchPublisher(RootState& root) : root_(root) {
  for (const std::string_view prefix : kAlwaysCounted) watches_.pin(prefix);
}

Result<> WatchPublisher::room_for(std::string_view name, const HostEntry& host) {
  Result<> room;
  watches_.for_each_matching(name, [&](const WatchTable::Watch& watch) {
    if (!watch.counted() || !is_kept(watch)) return;
    const auto found = watch.hosts.find(host.id);
    const std::size_t held = found == watch.hosts.end() ? 0 : found->second;
    if (within_share(held, 1, watch.rows, kMaxWatchRows)) return;
    room = Error{Errc::too_many_names, std::to_string(watch.rows) + " names begin with '" +
                                           watch.prefix + "', which is watched; host " + host.name +
                                           " holds " + std::to_string(held) + " of them"};
  });
  return room;
}

Result<> WatchPublisher::on_watch(HostEntry& host, ByteView payload) {
  const auto request = decode<Watch>(payload);
  if (!request) return request.error();
  const std::vector<LinkId> watcher = {host.link};
  if (const auto checked = check_prefix(request->prefix); !checked) {
    refuse(request->prefix, watcher, checked.error());
    return {};
  }
  // The limit of all processes of a host together.
  if (watches_.count(host.link) >= kMaxWatches * kMaxProcesses) {
    refuse(
        request->prefix, watcher,
        {Errc::too_many_watches, "host " + host.name + ": more than all its processes may have"});
    return {};
  }
  watches_.add(request->prefix, host.link);
  want(host.link, request->prefix);
  serve();
  return {};
}

Result<> WatchPublisher::on_unwatch(HostEntry& host, ByteView payload) {
  const auto request = decode<Unwatch>(payload);
  if (!request) return request.error();
  watches_.remove(request->prefix, host.link);
  forget_wanted(host.link, request->prefix);
  return {};
}

void WatchPublisher::forget(LinkId watcher) {
  watches_.remove_all(watcher);
  wanted_.erase(watcher);
}

void WatchPublisher::want(LinkId watcher, const std::string& prefix) {
  Wanted& wanted = wanted_[watcher];
  wanted.prefixes.insert(prefix);
  if (wanted.sending && wanted.sending->prefix == prefix) wanted.sending.reset();
}

void WatchPublisher::forget_wanted(LinkId watcher, const std::string& prefix) {
  const auto found = wanted_.find(watcher);
  if (found == wanted_.end()) return;
  Wanted& wanted = found->second;
  wanted.prefixes.erase(prefix);
  if (wanted.sending && wanted.sending->prefix == prefix) wanted.sending.reset();
  if (wanted.empty()) wanted_.erase(found);
}

void WatchPublisher::tick() {
  budget_ = std::min(budget_ + std::int64_t{kWatchBudget}, std::int64_t{kWatchBudget});
  serve();
}

void WatchPublisher::refuse(const std::string& prefix, const std::vector<LinkId>& watchers,
                            const Error& why) {
  for (const LinkId id : watchers) {
    watches_.remove(prefix, id);
    forget_wanted(id, prefix);
    if (RouterLink* const link = root_.links.find(id))
      root_.links.tell(*link, WatchRefused{prefix, errc_of(why), why.detail});
  }
}

void WatchPublisher::serve() {
  const std::int64_t enough = budget_ - std::int64_t{kWatchTurn};
  std::size_t full = 0;  // links without room, one after the other
  while (!root_.grace && budget_ > std::max(enough, std::int64_t{0}) && full < wanted_.size()) {
    auto next = wanted_.upper_bound(last_served_);
    if (next == wanted_.end()) next = wanted_.begin();
    last_served_ = next->first;
    if (root_.links.find(last_served_)->queues.bytes(Lane::control) > kSnapshotRoom) {
      ++full;
      continue;
    }
    full = 0;
    serve(last_served_, next->second);
  }
  unfinished_ = !root_.grace && budget_ > 0 && full < wanted_.size();
}

/// Sends the next piece of the snapshot that is under way, or begins one.
void WatchPublisher::serve(LinkId to, Wanted& wanted) {
  if (!wanted.sending) {
    auto prefix = wanted.prefixes.upper_bound(wanted.last_served);
    if (prefix == wanted.prefixes.end()) prefix = wanted.prefixes.begin();
    wanted.last_served = *prefix;
    wanted.sending = Snapshot{*prefix};
    wanted.prefixes.erase(prefix);
    if (!begin(*watches_.find(wanted.last_served), to)) return;  // refused, and forgotten
  }
  if (!send_piece(*wanted.sending, to)) return;
  wanted.sending.reset();
  if (wanted.empty()) wanted_.erase(to);
}

/// `to` must wait for it: from now on it gets each change. False: it is refused, since the prefix
/// has too many names.
bool WatchPublisher::begin(WatchTable::Watch& watch, LinkId to) {
  budget_ -= kSnapshotRows;
  if (!watch.counted()) {
    count(watch);
    budget_ -= static_cast<std::int64_t>(watch.rows) / kCountedRows;
  }
  if (watch.rows > kMaxWatchRows) {
    std::vector<LinkId> all = watch.watchers;
    all.insert(all.end(), watch.waiting.begin(), watch.waiting.end());
    refuse(std::string(watch.prefix), all,
           {Errc::watch_too_large, "more than " + std::to_string(kMaxWatchRows) +
                                       " names begin with '" + watch.prefix + "'"});
    return false;
  }
  std::erase(watch.waiting, to);
  watch.watchers.push_back(to);
  return true;
}

/// True: it was the last piece. Names that change meanwhile are shown as they are when their turn
/// comes; the deltas say the same of them, and alone tell of names before the present place.
bool WatchPublisher::send_piece(Snapshot& snapshot, LinkId to) {
  WatchRows piece;
  piece.prefix = snapshot.prefix;
  piece.first = !std::exchange(snapshot.place.begun, true);
  piece.last = true;
  std::size_t bytes = 0;
  root_.directory.list(snapshot.prefix, snapshot.place.after, [&](const Directory::Entry& entry) {
    piece.last = piece.rows.size() < kWatchTurn && bytes < kPieceBytes - kMaxName * 3;
    if (!piece.last) return false;
    piece.rows.push_back(row_of(entry, true));
    bytes += size_of(piece.rows.back());
    return true;
  });
  if (!piece.rows.empty()) snapshot.place.after = piece.rows.back().name;
  budget_ -= static_cast<std::int64_t>(piece.rows.size());
  root_.links.tell(*root_.links.find(to), piece);
  return piece.last;
}

void WatchPublisher::count(WatchTable::Watch& watch) {
  watch.rows = 0;
  watch.hosts.clear();
  root_.directory.list(watch.prefix, "", [&](const Directory::Entry& entry) {
    ++watch.hosts[host_of(entry).id];
    return ++watch.rows <= kMaxWatchRows;
  });
}

void WatchPublisher::count(WatchTable::Watch& watch, const Directory::Entry& entry, Change change,
                           std::uint32_t from) {
  const auto leave = [&](std::uint32_t host) {
    const auto held = watch.hosts.find(host);
    assert(held != watch.hosts.end() && held->second > 0);
    if (--held->second == 0) watch.hosts.erase(held);
  };
  const std::uint32_t host = host_of(entry).id;
  if (change == Change::changed && host == from) return;
  if (change == Change::changed) leave(from);
  if (change == Change::removed) {
    assert(watch.rows > 0);
    --watch.rows;
    leave(host);
  } else {
    if (change == Change::added) ++watch.rows;
    ++watch.hosts[host];
  }
}

void WatchPublisher::publish(const Directory::Entry& entry, Change change, std::uint32_t from) {
  std::vector<std::string> too_large;
  WatchRows delta;
  watches_.for_each_matching(entry.name(), [&](WatchTable::Watch& watch) {
    if (watch.counted()) count(watch, entry, change, from);
    if (!watch.watched()) return;  // the snapshots to come will show it
    if (watch.rows > kMaxWatchRows) {
      too_large.push_back(watch.prefix);
      return;
    }
    if (delta.rows.empty()) delta.rows.push_back(row_of(entry, change != Change::removed));
    delta.prefix = watch.prefix;
    record_.clear();
    encode(delta, record_);
    // A watcher without room gets a snapshot later, which shows this change and all that follow.
    std::erase_if(watch.watchers, [&](LinkId id) {
      RouterLink& link = *root_.links.find(id);
      if (link.queues.bytes(Lane::control) > kDeltaRoom) {
        watch.waiting.push_back(id);
        want(id, watch.prefix);
        return true;
      }
      root_.links.tell_encoded(link, record_);
      return false;
    });
  });
  for (const std::string& prefix : too_large) {
    std::vector<LinkId> all = watches_.find(prefix)->watchers;
    const std::vector<LinkId>& waiting = watches_.find(prefix)->waiting;
    all.insert(all.end(), waiting.begin(), waiting.end());
    refuse(prefix, all,
           {Errc::watch_too_large,
            "the prefix has grown beyond " + std::to_string(kMaxWatchRows) + " names"});
  }
}

}  // namespace starbus::bus
