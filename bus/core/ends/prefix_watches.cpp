#include "bus/core/ends/prefix_watches.hpp"

namespace starbus::bus {

Result<> PrefixWatches::begin(const std::string& prefix) {
  if (auto checked = check_prefix(prefix); !checked) return checked;
  if (watches_.contains(prefix)) return {};
  if (watches_.size() >= kMaxWatches) return Error{Errc::too_many_watches};
  watches_.emplace(prefix, RowSet{});
  if (state_.greeted) control_.add(Watch{prefix});
  return {};
}

void PrefixWatches::end(const std::string& prefix) {
  if (watches_.erase(prefix) != 0 && state_.greeted) control_.add(Unwatch{prefix});
}

const RowSet* PrefixWatches::rows(const std::string& prefix) const {
  const auto found = watches_.find(prefix);
  return found == watches_.end() ? nullptr : &found->second;
}

void PrefixWatches::on_session() {
  for (const auto& [prefix, rows] : watches_) control_.add(Watch{prefix});
}

void PrefixWatches::on_rows(WatchRows rows) {
  const std::string prefix = rows.prefix;
  const auto found = watches_.find(prefix);
  if (found == watches_.end()) return;  // ended while this record was under way
  RowSet& known = found->second;
  const bool was_complete = known.complete();
  const std::vector<WatchRow> changes = known.apply(std::move(rows));
  if (known.overflowed()) {
    end(prefix);
    events_.on_watch_refused(prefix, {Errc::watch_too_large, prefix});
    return;
  }
  note_deaths(changes);
  const bool complete = known.complete();
  if (!changes.empty() || complete != was_complete) events_.on_watch(prefix, changes, complete);
}

/// A death that is reported must be the end: what comes later, over a slower lane, is dropped.
/// Names that a process holds for its life tell of it, and no others: those may be given up.
void PrefixWatches::note_deaths(const std::vector<WatchRow>& changes) {
  for (const WatchRow& row : changes) {
    const auto holder = holder_for_life(row.name);
    if (!holder || *holder != row.owner.channel()) continue;
    if (row.present) {
      owner_.revive(row.owner);
    } else {
      owner_.bury(row.owner);
    }
  }
}

void PrefixWatches::on_refused(const WatchRefused& refused) {
  if (watches_.erase(refused.prefix) == 0) return;
  events_.on_watch_refused(refused.prefix, {refused.reason, refused.detail});
}

}  // namespace starbus::bus
