#include "bus/core/routers/root/root_watches.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::bus {

WatchTable::Watch& WatchTable::watch_of(std::string_view prefix) {
  assert(prefix.size() <= kMaxName);
  auto found = watches_.find(prefix);
  if (found == watches_.end()) {
    found = watches_.emplace(prefix, Watch{}).first;
    found->second.prefix = prefix;
    ++lengths_[prefix.size()];
  }
  return found->second;
}

void WatchTable::pin(std::string_view prefix) {
  watch_of(prefix).pinned = true;
}

std::size_t WatchTable::size() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(watches_, [](const auto& item) { return !item.second.idle(); }));
}

WatchTable::Watch& WatchTable::add(std::string_view prefix, Watcher watcher) {
  Watch& watch = watch_of(prefix);
  std::erase(watch.watchers, watcher);
  if (std::ranges::find(watch.waiting, watcher) == watch.waiting.end()) {
    watch.waiting.push_back(watcher);
  }
  prefixes_[watcher].emplace(prefix);
  return watch;
}

void WatchTable::remove(std::string_view prefix, Watcher watcher) {
  const auto mine = prefixes_.find(watcher);
  if (mine == prefixes_.end()) return;
  const auto present = mine->second.find(prefix);
  if (present == mine->second.end()) return;
  mine->second.erase(present);
  if (mine->second.empty()) prefixes_.erase(mine);
  leave(prefix, watcher);
}

void WatchTable::remove_all(Watcher watcher) {
  const auto found = prefixes_.find(watcher);
  if (found == prefixes_.end()) return;
  const auto prefixes = std::move(found->second);
  prefixes_.erase(found);
  for (const std::string& prefix : prefixes) leave(prefix, watcher);
}

/// The watch forgets the watcher, and ends with the last one.
void WatchTable::leave(std::string_view prefix, Watcher watcher) {
  const auto found = watches_.find(prefix);
  assert(found != watches_.end());
  Watch& watch = found->second;
  std::erase(watch.watchers, watcher);
  std::erase(watch.waiting, watcher);
  if (watch.pinned || !watch.idle()) return;
  --lengths_[prefix.size()];
  watches_.erase(found);
}

WatchTable::Watch* WatchTable::find(std::string_view prefix) {
  const auto found = watches_.find(prefix);
  return found == watches_.end() ? nullptr : &found->second;
}

std::size_t WatchTable::count(Watcher watcher) const {
  const auto found = prefixes_.find(watcher);
  return found == prefixes_.end() ? 0 : found->second.size();
}

}  // namespace starbus::bus
