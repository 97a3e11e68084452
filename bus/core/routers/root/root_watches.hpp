/// The watched prefixes at busroot and their watchers, found from a name that changed.
///
/// A change costs one hash probe for each length of watched prefixes, however many watches there
/// are. Keeps no rows, only their numbers. Owned and used by one thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/limits.hpp"

namespace starbus::bus {

class WatchTable {
 public:
  using Watcher = std::uint64_t;  // a link

  struct Watch {
    std::string prefix;
    std::vector<Watcher> watchers;  // have their snapshot: they get every change
    std::vector<Watcher> waiting;   // for their snapshot
    bool pinned = false;            // it stays, and is counted, without a watcher
    // Names with the prefix now, all and by host; kept by the caller while counted.
    std::size_t rows = 0;
    boost::unordered_flat_map<std::uint32_t, std::size_t> hosts;

    bool idle() const { return watchers.empty() && waiting.empty(); }
    bool watched() const { return !watchers.empty(); }
    bool counted() const { return pinned || watched(); }
  };

  /// The watch of this prefix, created if needed. `watcher` waits for a snapshot, also if it had
  /// one. Valid until the next change.
  Watch& add(std::string_view prefix, Watcher watcher);
  /// This prefix is counted from now on, whether it is watched or not. Nothing has it yet.
  void pin(std::string_view prefix);
  void remove(std::string_view prefix, Watcher watcher);
  /// Removes all watches of one watcher.
  void remove_all(Watcher watcher);
  /// Null if this prefix is not watched.
  Watch* find(std::string_view prefix);
  std::size_t count(Watcher watcher) const;
  /// Prefixes that have a watcher.
  std::size_t size() const;

  /// Calls `visit(Watch&)` for each watched prefix of `name`, shortest first; it must not add or
  /// remove watches.
  template <class Visit>
  void for_each_matching(std::string_view name, Visit&& visit) {
    for (std::size_t length = 0; length <= name.size(); ++length) {
      if (lengths_[length] == 0) continue;
      const auto found = watches_.find(name.substr(0, length));
      if (found != watches_.end()) visit(found->second);
    }
  }
  /// Calls `visit(Watch&)` for every watch.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [prefix, watch] : watches_) visit(watch);
  }

 private:
  Watch& watch_of(std::string_view prefix);
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void leave(std::string_view prefix, Watcher watcher);

  boost::unordered_flat_map<std::string, Watch, TextHash, std::equal_to<>> watches_;
  boost::unordered_flat_map<Watcher,
                            boost::unordered_flat_set<std::string, TextHash, std::equal_to<>>>
      prefixes_;
  std::array<std::uint32_t, kMaxName + 1> lengths_{};  // watches per length of prefix
};

}  // namespace starbus::bus
