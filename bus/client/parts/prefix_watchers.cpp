#include "bus/client/parts/prefix_watchers.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/client/bus_core.hpp"

namespace starbus::bus {

Result<WatchHandle> PrefixWatchers::watch(std::string prefix,
                                          std::function<void(const WatchUpdate&)> on_update,
                                          std::function<void(const Error&)> on_error) {
  if (auto started = begin(prefix); !started) return started.error();
  const std::uint64_t id = next_id_++;
  watched_[prefix].watchers.emplace(id, Watcher{std::move(on_update), std::move(on_error)});
  if (complete_rows(prefix)) {  // a later watcher of the same prefix
    boost::asio::post(context_.loop, [this, weak = context_.self, prefix, id] {
      const auto held = weak.lock();
      if (held && !context_.closed) tell_present_rows(prefix, id);
    });
  }
  WatchHandle handle;
  handle.core_ = context_.self;
  handle.prefix_ = std::move(prefix);
  handle.id_ = id;
  return handle;
}

void PrefixWatchers::tell_present_rows(const std::string& prefix, std::uint64_t id) {
  const RowSet* const rows = context_.process.rows(prefix);
  if (!rows) return;
  WatchUpdate update;
  update.complete = true;
  for (const auto& [name, row] : rows->rows()) update.changes.push_back(row);
  tell(prefix, id, update);
}

/// The callback may end any watch, its own too.
void PrefixWatchers::tell(const std::string& prefix, std::uint64_t id, const WatchUpdate& update) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  const auto watcher = found->second.watchers.find(id);
  if (watcher == found->second.watchers.end()) return;
  const auto callback = watcher->second.on_update;
  const auto shown = context_.showing("watch ", prefix);
  if (!callback) return;
  const auto place = [&] { return "watch " + prefix; };
  guarded(UnitKind::listener, place, [&] { callback(update); });
}

void PrefixWatchers::end(const std::string& prefix, std::uint64_t id) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  found->second.watchers.erase(id);
  if (!found->second.watchers.empty() || found->second.internal) return;
  watched_.erase(found);
  context_.process.unwatch(prefix);
  context_.link.request_send(0);
}

/// Makes place, if need be, for a watch that was not there.
Result<> PrefixWatchers::begin(const std::string& prefix) {
  if (context_.process.rows(prefix)) return {};
  auto started = context_.process.watch(prefix);
  if (!started && started.error() == Errc::too_many_watches && give_up_longest_unused()) {
    started = context_.process.watch(prefix);
  }
  if (started) context_.link.request_send(0);
  return started;
}

Result<> PrefixWatchers::use(const std::string& prefix) {
  if (auto started = begin(prefix); !started) {
    const bool awaits = std::ranges::any_of(
        watched_, [](const auto& item) { return !item.second.when_complete.empty(); });
    if (started.error() != Errc::too_many_watches || !awaits) return started.error();
    return Error{Errc::would_block, "too many snapshots are awaited to ask for that of " + prefix};
  }
  Watched& watched = watched_[prefix];
  watched.internal = true;
  watched.used = now_;
  return {};
}

Result<> PrefixWatchers::keep(const std::string& prefix) {
  if (auto used = use(prefix); !used) return used;
  watched_.at(prefix).kept = true;
  return {};
}

void PrefixWatchers::tick(Time now) {
  now_ = now;
  if (now - looked_ < kWatchIdle / 60) return;
  looked_ = now;
  for (auto at = watched_.begin(); at != watched_.end();) {
    const auto present = at++;
    const Watched& watched = present->second;
    if (watched.may_be_given_up() && now - watched.used >= kWatchIdle) give_up(present);
  }
}

bool PrefixWatchers::give_up_longest_unused() {
  auto longest = watched_.end();
  for (auto at = watched_.begin(); at != watched_.end(); ++at) {
    if (!at->second.may_be_given_up()) continue;
    if (longest == watched_.end() || at->second.used < longest->second.used) longest = at;
  }
  if (longest == watched_.end()) return false;
  give_up(longest);
  return true;
}

void PrefixWatchers::give_up(std::map<std::string, Watched>::iterator found) {
  const std::string prefix = found->first;
  watched_.erase(found);
  context_.process.unwatch(prefix);
  context_.link.request_send(0);
  if (on_given_up) on_given_up(prefix);
}

const RowSet* PrefixWatchers::complete_rows(const std::string& prefix) const {
  const RowSet* const rows = context_.process.rows(prefix);
  return rows && rows->complete() ? rows : nullptr;
}

void PrefixWatchers::when_complete(const std::string& prefix, Waiting action) {
  if (complete_rows(prefix)) return action({});
  watched_.at(prefix).when_complete.push_back(std::move(action));
}

bool PrefixWatchers::must_hold(const std::string& prefix) {
  if (!complete_rows(prefix)) return true;
  // A watch of the user serves as well, and stays for the library when the user ends it.
  Watched& watched = watched_[prefix];
  watched.internal = true;
  watched.used = now_;
  return !watched.when_complete.empty();
}

bool PrefixWatchers::has_room(const std::string& prefix) const {
  const auto found = watched_.find(prefix);
  if (found != watched_.end()) return found->second.held_bytes <= kChannelWindow / 2;
  return watched_.size() < kMaxWatches || std::ranges::any_of(watched_, [](const auto& item) {
           return item.second.may_be_given_up();
         });
}

Result<> PrefixWatchers::hold(const std::string& prefix, std::size_t bytes, Waiting action) {
  if (auto used = use(prefix); !used) return used.error();
  Watched& watched = watched_.at(prefix);
  if (watched.held_bytes != 0 && watched.held_bytes + bytes > kChannelWindow) {
    return Error{Errc::would_block, "the members of " + prefix + " are not known yet"};
  }
  watched.held_bytes += bytes;
  ++held_messages_;
  watched.when_complete.emplace_back(
      [this, prefix, bytes, action = std::move(action)](const Result<>& ready) {
        release(prefix, bytes, ready, action);
      });
  return {};
}

void PrefixWatchers::release(const std::string& prefix, std::size_t bytes, const Result<>& ready,
                             const Waiting& action) {
  assert(held_messages_ != 0);
  --held_messages_;
  const auto found = watched_.find(prefix);
  if (found != watched_.end()) found->second.held_bytes -= bytes;
  action(ready);
  if (after_release) after_release(prefix);
}

void PrefixWatchers::on_update(const std::string& prefix, const std::vector<WatchRow>& changes,
                               bool complete) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  const WatchUpdate update{changes, complete};
  std::vector<std::uint64_t> ids;
  for (const auto& [id, watcher] : found->second.watchers) ids.push_back(id);
  for (const std::uint64_t id : ids) tell(prefix, id, update);
  const auto present = watched_.find(prefix);
  if (!complete || present == watched_.end()) return;
  for (auto& action : std::exchange(present->second.when_complete, {})) action({});
}

void PrefixWatchers::on_refused(const std::string& prefix, const Error& reason) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  Watched watched = std::move(found->second);
  watched_.erase(found);
  // Operations that waited for the snapshot go on without one, and find no instance and no member.
  for (auto& action : watched.when_complete) action({});
  const auto place = [&] { return "watch " + prefix; };
  for (const auto& row : watched.watchers) {
    const auto& on_error = row.second.on_error;
    if (on_error) guarded(UnitKind::listener, place, [&] { on_error(reason); });
  }
}

/// Operations that wait for a snapshot find the bus closed, and complete with that.
void PrefixWatchers::shut() {
  for (auto& [prefix, watched] : std::exchange(watched_, {})) {
    for (auto& action : watched.when_complete) action({});
  }
}

/// What the program asks meanwhile, told of these ends, belongs to its next life, and stays.
void PrefixWatchers::lease_lost(const Error& reason) {
  std::vector<Waiting> over;
  for (auto& [prefix, watched] : watched_) {
    for (auto& action : std::exchange(watched.when_complete, {})) over.push_back(std::move(action));
  }
  for (const auto& action : over) action(reason);
}

// --- watch_handle.hpp ----------------------------------------------------------------------------

WatchHandle& WatchHandle::operator=(WatchHandle&& other) noexcept {
  if (this == &other) return *this;
  if (const auto core = core_.lock()) core->end_watch(prefix_, id_);
  core_ = std::exchange(other.core_, {});
  prefix_ = std::move(other.prefix_);
  id_ = other.id_;
  return *this;
}

WatchHandle::~WatchHandle() {
  if (const auto core = core_.lock()) core->end_watch(prefix_, id_);
}

}  // namespace starbus::bus
