#include "aoi/wire/wire_view.hpp"

#include <algorithm>
#include <utility>

namespace starbus::aoi {

Result<> WireView::apply(const ObserverBatch& batch) {
  if (batch.epoch < epoch_) return Errc::stale;
  if (batch.epoch == epoch_) {
    if (!batch.reindex.kept.empty() || !batch.reindex.gone.empty()) {
      return Error(Errc::out_of_step, "a numbering begins twice");
    }
    return change(known_, batch);
  }
  auto next = renumbered(batch.reindex);
  if (!next) return next.error();
  if (const auto changed = change(*next, batch); !changed) return changed;
  epoch_ = batch.epoch;
  known_.swap(*next);
  return {};
}

// Costs what the batch changes, not what is known. Undone from the end if the batch does not fit.
Result<> WireView::change(Known& known, const ObserverBatch& batch) {
  std::vector<std::pair<std::uint16_t, std::uint64_t>> left;
  std::size_t entered = 0;
  const auto undo = [&](const char* why) {
    while (entered > 0) known.erase(batch.enters[--entered].index);
    known.insert(left.begin(), left.end());
    return Error(Errc::out_of_step, why);
  };
  left.reserve(batch.leaves.size());
  for (const std::uint16_t index : batch.leaves) {
    const auto at = known.find(index);
    if (at == known.end()) return undo("a leave without an enter");
    left.emplace_back(*at);
    known.erase(at);
  }
  for (const EnterEntry& one : batch.enters) {
    if (!known.emplace(one.index, one.key).second) {
      return undo("an enter of a target that is known");
    }
    ++entered;
  }
  return {};
}

auto WireView::renumbered(const ReindexBatch& reindex) const -> Result<Known> {
  Known next;
  for (const ReindexBatch::Kept& one : reindex.kept) {
    const auto old = known_.find(one.from);
    if (old == known_.end()) return Error(Errc::out_of_step, "a kept index is not known");
    if (!next.emplace(one.to, old->second).second) {
      return Error(Errc::out_of_step, "two have the same new index");
    }
  }
  for (const std::uint16_t index : reindex.gone) {
    if (!known_.contains(index))
      return Error(Errc::out_of_step, "a leave of a target that is not known");
  }
  return next;
}

Result<std::uint64_t> WireView::target(std::uint32_t epoch, std::uint16_t index) const {
  if (epoch < epoch_) return Errc::stale;
  const auto at = known_.find(index);
  if (epoch > epoch_ || at == known_.end()) return Error(Errc::out_of_step, "not known");
  return at->second;
}

std::vector<std::uint64_t> WireView::keys() const {
  std::vector<std::uint64_t> keys;
  for (const auto& [index, key] : known_) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace starbus::aoi
