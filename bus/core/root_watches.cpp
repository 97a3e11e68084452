#include "bus/core/root_watches.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::bus {

WatchTable::Watch& WatchTable::add(std::string_view prefix, Watcher watcher) {
  assert(prefix.size() <= kMaxName);
  auto found = watches_.find(prefix);
  if (found == watches_.end()) {
    found = watches_.emplace(prefix, Watch{}).first;
    found->second.prefix = prefix;
    ++lengths_[prefix.size()];
  }
  Watch& watch = found->second;
  if (std::ranges::find(watch.watchers, watcher) == watch.watchers.end()) {
    watch.watchers.push_back(watcher);
    prefixes_[watcher].emplace_back(prefix);
  }
  return watch;
}

void WatchTable::remove(std::string_view prefix, Watcher watcher) {
  const auto found = watches_.find(prefix);
  if (found == watches_.end()) return;
  if (std::erase(found->second.watchers, watcher) == 0) return;
  forget(prefix, watcher);
  if (!found->second.watchers.empty()) return;
  --lengths_[prefix.size()];
  watches_.erase(found);
}

void WatchTable::remove_all(Watcher watcher) {
  const auto found = prefixes_.find(watcher);
  if (found == prefixes_.end()) return;
  const std::vector<std::string> prefixes = found->second;
  for (const std::string& prefix : prefixes) remove(prefix, watcher);
}

WatchTable::Watch* WatchTable::find(std::string_view prefix) {
  const auto found = watches_.find(prefix);
  return found == watches_.end() ? nullptr : &found->second;
}

std::size_t WatchTable::count(Watcher watcher) const {
  const auto found = prefixes_.find(watcher);
  return found == prefixes_.end() ? 0 : found->second.size();
}

void WatchTable::forget(std::string_view prefix, Watcher watcher) {
  const auto found = prefixes_.find(watcher);
  assert(found != prefixes_.end());
  std::erase(found->second, prefix);
  if (found->second.empty()) prefixes_.erase(found);
}

}  // namespace starbus::bus
