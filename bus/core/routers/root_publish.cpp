/// RootRouter: watches. A watcher gets a snapshot in pieces, then every change of the directory in
/// order. In grace the snapshot waits, so that nobody takes half a cluster for the whole.
#include <cassert>

#include "bus/core/routers/root_router.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kPieceBytes = 48 * 1024;
constexpr std::int64_t kSnapshotRows = 8;  // of an empty one, in rows

WatchRow row_of(const Directory::Entry& entry, bool present) {
  const RootProcess& owner = RootRouter::process_of(entry);
  return {present,      std::string(entry.name()), owner.process(), owner.full_name(), entry.epoch,
          entry.lineage};
}

std::size_t size_of(const WatchRow& row) {
  return 35 + row.name.size() + row.owner_name.size();
}

}  // namespace

Result<> RootRouter::on_watch(Host& host, ByteView payload) {
  const auto request = decode<Watch>(payload);
  if (!request) return request.error();
  const std::vector<LinkId> watcher = {host.link};
  if (const auto checked = check_prefix(request->prefix); !checked) {
    refuse_watch(request->prefix, watcher, checked.error());
    return {};
  }
  // What all processes of a host may watch together.
  if (watches_.count(host.link) >= kMaxWatches * kMaxProcesses) {
    refuse_watch(request->prefix, watcher, {Errc::too_many_watches, "of host " + host.name});
    return {};
  }
  watches_.add(request->prefix, host.link);
  wanted_.emplace(host.link, request->prefix);
  serve_watches();
  return {};
}

Result<> RootRouter::on_unwatch(Host& host, ByteView payload) {
  const auto request = decode<Unwatch>(payload);
  if (!request) return request.error();
  watches_.remove(request->prefix, host.link);
  wanted_.erase({host.link, request->prefix});
  return {};
}

void RootRouter::refuse_watch(const std::string& prefix, const std::vector<LinkId>& watchers,
                              const Error& why) {
  for (const LinkId id : watchers) {
    watches_.remove(prefix, id);
    wanted_.erase({id, prefix});
    if (Link* link = find_link(id)) tell(*link, WatchRefused{prefix, errc_of(why), why.detail});
  }
}

/// Snapshots in turn, as far as the budget of this tick goes: who watches and unwatches without end
/// costs nobody else more than that.
void RootRouter::serve_watches() {
  for (std::size_t left = wanted_.size(); !grace_ && watch_budget_ > 0 && left > 0; --left) {
    auto next = wanted_.upper_bound(last_served_);
    if (next == wanted_.end()) next = wanted_.begin();
    last_served_ = *next;
    if (find_link(last_served_.first)->queues.bytes(Lane::control) > kSnapshotRoom) continue;
    wanted_.erase(next);
    send_snapshot(*watches_.find(last_served_.second), last_served_.first);
  }
}

/// To one who waits for it; may end the watch.
void RootRouter::send_snapshot(WatchTable::Watch& watch, LinkId to) {
  const std::string prefix = watch.prefix;
  watch.rows = 0;
  directory_.list(prefix, "",
                  [&](const Directory::Entry&) { return ++watch.rows <= kMaxWatchRows; });
  watch_budget_ -= static_cast<std::int64_t>(watch.rows) + kSnapshotRows;
  if (watch.rows > kMaxWatchRows) {
    std::vector<LinkId> all = watch.watchers;
    all.insert(all.end(), watch.waiting.begin(), watch.waiting.end());
    refuse_watch(prefix, all,
                 {Errc::watch_too_large, "more than " + std::to_string(kMaxWatchRows) +
                                             " names begin with '" + prefix + "'"});
    return;
  }
  std::erase(watch.waiting, to);
  watch.watchers.push_back(to);
  WatchRows piece;
  piece.prefix = prefix;
  piece.first = true;
  std::size_t bytes = 0;
  const auto send_piece = [&] {
    tell(*find_link(to), piece);
    piece.first = false;
    piece.rows.clear();
    bytes = 0;
  };
  directory_.list(prefix, "", [&](const Directory::Entry& entry) {
    piece.rows.push_back(row_of(entry, true));
    bytes += size_of(piece.rows.back());
    if (bytes >= kPieceBytes - kMaxName * 3) send_piece();
    return true;
  });
  piece.last = true;
  send_piece();
}

void RootRouter::publish(const Directory::Entry& entry, Change change) {
  if (grace_) return;
  std::vector<std::string> too_large;
  WatchRows delta;
  watches_.for_each_matching(entry.name(), [&](WatchTable::Watch& watch) {
    if (!watch.watched()) return;  // their snapshots will show it
    if (change == Change::added && ++watch.rows > kMaxWatchRows) {
      too_large.push_back(watch.prefix);
      return;
    }
    if (change == Change::removed) {
      assert(watch.rows > 0);
      --watch.rows;
    }
    if (delta.rows.empty()) delta.rows.push_back(row_of(entry, change != Change::removed));
    delta.prefix = watch.prefix;
    record_.clear();
    encode(delta, record_);
    // Who has no room for more is given a snapshot later, which shows this and all that follows.
    std::erase_if(watch.watchers, [&](LinkId id) {
      Link& link = *find_link(id);
      if (link.queues.bytes(Lane::control) > kDeltaRoom) {
        watch.waiting.push_back(id);
        wanted_.emplace(id, watch.prefix);
        return true;
      }
      tell_encoded(link, record_, 0);
      return false;
    });
  });
  for (const std::string& prefix : too_large) {
    std::vector<LinkId> all = watches_.find(prefix)->watchers;
    const std::vector<LinkId>& waiting = watches_.find(prefix)->waiting;
    all.insert(all.end(), waiting.begin(), waiting.end());
    refuse_watch(prefix, all,
                 {Errc::watch_too_large,
                  "the prefix has grown beyond " + std::to_string(kMaxWatchRows) + " names"});
  }
}

}  // namespace starbus::bus
