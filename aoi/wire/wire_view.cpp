#include "aoi/wire/wire_view.hpp"

#include <algorithm>
#include <utility>

namespace starbus::aoi {

Result<> WireView::apply(const ObserverBatch& batch) {
  if (batch.epoch < epoch_) return Errc::stale;
  Known next;
  if (batch.epoch > epoch_) {
    auto begun = renumbered(batch.reindex);
    if (!begun) return begun.error();
    next = std::move(*begun);
  } else {
    if (!batch.reindex.kept.empty() || !batch.reindex.gone.empty()) {
      return Error(Errc::out_of_step, "a numbering begins twice");
    }
    next = known_;
  }
  for (const std::uint16_t index : batch.leaves) {
    if (next.erase(index) == 0) return Error(Errc::out_of_step, "a leave without an enter");
  }
  for (const EnterEntry& one : batch.enters) {
    if (!next.emplace(one.index, one.key).second) {
      return Error(Errc::out_of_step, "an enter of a target that is known");
    }
  }
  epoch_ = batch.epoch;
  known_.swap(next);
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
