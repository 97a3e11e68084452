#include "bus/core/routers/host/host_watches.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/routers/limits.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::int64_t kWatchSnapshotCost = 8;  // of an empty snapshot, in rows

}  // namespace

void HostWatches::watch(LinkId watcher, const std::string& prefix) {
  if (const auto checked = check_prefix(prefix); !checked) {
    return refuse(watcher, prefix, checked.error());
  }
  auto& mine = watchers_[watcher];
  if (!mine.contains(prefix) && mine.size() >= kMaxWatches) {
    return refuse(watcher, prefix, {Errc::too_many_watches, "1024 prefixes are watched"});
  }
  if (!mine.insert(prefix).second) return;  // it is served already, or will be
  const auto [entry, fresh] = prefixes_.try_emplace(prefix);
  entry->second.waiting.push_back(watcher);
  if (fresh) ask(account_of(watcher), prefix);
  if (!entry->second.rows.complete()) return;  // it is served when the snapshot is complete
  want(watcher, prefix);
  serve();
}

void HostWatches::tick() {
  budget_ = std::min(budget_ + std::int64_t{kWatchBudget}, std::int64_t{kWatchBudget});
  ask_again();
  serve();
}

/// Serves in turn, so that a process that watches and unwatches without end delays no other.
void HostWatches::serve() {
  const std::int64_t enough = budget_ - std::int64_t{kWatchTurn};
  std::size_t full = 0;  // watchers without room, one after the other
  while (budget_ > std::max(enough, std::int64_t{0}) && full < wanted_.size()) {
    auto next = wanted_.upper_bound(last_served_);
    if (next == wanted_.end()) next = wanted_.begin();
    last_served_ = next->first;
    const auto& [watcher, prefix] = last_served_;
    if (!has_room(watcher)) {
      ++full;
      continue;
    }
    full = 0;
    if (send_piece(prefix, watcher, next->second)) wanted_.erase(next);
  }
  unfinished_ = budget_ > 0 && full < wanted_.size();
}

/// True: it was the last piece. From the first one on, the watcher gets each change: those of names
/// before the present place come only so.
bool HostWatches::send_piece(const std::string& prefix, LinkId watcher, SnapshotPlace& place) {
  Prefix& entry = prefixes_.at(prefix);
  if (!place.begun) {
    budget_ -= kWatchSnapshotCost;
    std::erase(entry.waiting, watcher);
    entry.watchers.push_back(watcher);
  }
  const WatchRows piece = next_piece(prefix, entry.rows.rows(), place, kWatchTurn);
  budget_ -= static_cast<std::int64_t>(piece.rows.size());
  scratch_.clear();
  encode(piece, scratch_);
  tell(watcher, scratch_);
  return piece.last;
}

void HostWatches::unwatch(LinkId watcher, const std::string& prefix) {
  const auto found = watchers_.find(watcher);
  if (found == watchers_.end() || found->second.erase(prefix) == 0) return;
  leave(watcher, prefix);
}

void HostWatches::forget(LinkId watcher) {
  const auto found = watchers_.find(watcher);
  if (found == watchers_.end()) return;
  const auto mine = std::move(found->second);
  watchers_.erase(found);
  for (const std::string& prefix : mine) leave(watcher, prefix);
}

void HostWatches::leave(LinkId watcher, const std::string& prefix) {
  const auto entry = prefixes_.find(prefix);
  assert(entry != prefixes_.end());
  std::erase(entry->second.watchers, watcher);
  std::erase(entry->second.waiting, watcher);
  wanted_.erase({watcher, prefix});
  if (!entry->second.idle()) return;
  prefixes_.erase(entry);
  ask(account_of(watcher), prefix);
}

/// 0, busd's own, of a link that has ended.
AccountId HostWatches::account_of(LinkId watcher) {
  const RouterLink* const link = links_.find(watcher);
  return link == nullptr ? AccountId{0} : link->account;
}

/// Watching and unwatching without end costs the link to busroot no more than it takes, and leaves
/// half of the room to requests.
bool HostWatches::has_root_room() const {
  return uplink_.request_room() > kRequestRoom / 2;
}

void HostWatches::ask(AccountId who, const std::string& prefix) {
  if (!try_to_ask(who, prefix)) unasked_[who].insert(prefix);
}

bool HostWatches::try_to_ask(AccountId who, const std::string& prefix) {
  if (!has_root_room()) return false;
  if (!links_.accounts().ask(who, kRecordHeader + prefix.size(), uplink_.request_room())) {
    return false;
  }
  // Whether it is watched now: between the two, others may have asked for the same prefix.
  if (prefixes_.contains(prefix)) {
    uplink_.tell(Watch{prefix});
  } else {
    uplink_.tell(Unwatch{prefix});
  }
  return true;
}

/// One prefix of each account in turn, until there is no room for any.
void HostWatches::ask_again() {
  for (std::size_t refused = 0; refused < unasked_.size();) {
    auto next = unasked_.upper_bound(last_asked_);
    if (next == unasked_.end()) next = unasked_.begin();
    last_asked_ = next->first;
    if (!try_to_ask(next->first, *next->second.begin())) {
      ++refused;
      continue;
    }
    refused = 0;
    next->second.erase(next->second.begin());
    if (next->second.empty()) unasked_.erase(next);
  }
}

void HostWatches::on_rows(WatchRows&& rows) {
  const std::string prefix = rows.prefix;
  const auto entry = prefixes_.find(prefix);
  if (entry == prefixes_.end()) return;  // unwatched meanwhile
  RowSet& set = entry->second.rows;
  const bool known = set.complete();
  const auto changes = set.apply(std::move(rows));
  if (set.overflowed()) {
    uplink_.tell(Unwatch{prefix});
    return on_refused({prefix, Errc::watch_too_large, "more than 131072 names"});
  }
  if (known) {
    // A watcher without room gets a snapshot later, which shows this change and all that follow.
    std::erase_if(entry->second.watchers, [&](LinkId watcher) {
      if (has_room(watcher)) return false;
      entry->second.waiting.push_back(watcher);
      want(watcher, prefix);  // from its beginning, also if it is under way
      return true;
    });
    send_changes(prefix, changes, [&](const WatchRows& piece) { tell_all(entry->second, piece); });
  } else if (set.complete()) {
    for (const LinkId watcher : entry->second.waiting) want(watcher, prefix);
    serve();
  }
}

void HostWatches::on_refused(const WatchRefused& refused) {
  const auto entry = prefixes_.find(refused.prefix);
  if (entry == prefixes_.end()) return;
  Prefix ended = std::move(entry->second);
  prefixes_.erase(entry);
  ended.watchers.insert(ended.watchers.end(), ended.waiting.begin(), ended.waiting.end());
  for (const LinkId watcher : ended.watchers) {
    watchers_[watcher].erase(refused.prefix);
    wanted_.erase({watcher, refused.prefix});
  }
  tell_all(ended, refused);
}

void HostWatches::renew() {
  unasked_.clear();
  for (const auto& [prefix, entry] : prefixes_) ask(0, prefix);
}

template <class Record>
void HostWatches::tell_all(const Prefix& prefix, const Record& record) {
  scratch_.clear();
  encode(record, scratch_);
  for (const LinkId watcher : prefix.watchers) tell(watcher, scratch_);
}

void HostWatches::tell(LinkId watcher, ByteView record) {
  if (RouterLink* const link = links_.find(watcher)) links_.tell_encoded(*link, record);
}

bool HostWatches::has_room(LinkId watcher) {
  const RouterLink* const link = links_.find(watcher);
  return link != nullptr && link->queues.bytes(Lane::control) < kSnapshotRoom;
}

void HostWatches::refuse(LinkId watcher, const std::string& prefix, const Error& why) {
  scratch_.clear();
  encode(WatchRefused{prefix, errc_of(why), why.detail}, scratch_);
  tell(watcher, scratch_);
}

}  // namespace starbus::bus
