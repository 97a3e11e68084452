/// Of GridLayer: looks of those around whom there are few blocks, as in the open almost everywhere:
/// their rows are two words. Included by grid_layer.cpp alone.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "aoi/index/delta_writer.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

static_assert(kFewBlocks <= Row::kInPlace);

// What most need. Where blocks have heights, all pass.
template <class Cells>
Query GridLayer<Cells>::query_of(const Watcher& watcher) const {
  constexpr float kAny = std::numeric_limits<float>::infinity();
  const float limit = watcher.enter_limit;
  if (watcher.place != kNone) [[likely]] {
    const Block& block = arena_.blocks[watcher.place / kBlockPlaces];
    const std::uint32_t lane = watcher.place % kBlockPlaces;
    return {block.x[lane], block.y[lane], 0, limit, limit, -kAny, kAny};
  }
  const Position& from = scene_.spots[scene_.watches[watcher.sensor].owner].at;
  return {from.x, from.y, from.z, limit, limit, -kAny, kAny};
}

// With the leave margin and the heights.
template <class Cells>
Query GridLayer<Cells>::full_query_of(const Watcher& watcher) const {
  Query query = query_of(watcher);
  query.stay_limit = site_of(watcher).stay_limit;
  if (arena_.heights.empty()) return query;
  const Watch& watch = scene_.watches[watcher.sensor];
  if (!watch.has_height) return query;
  query.z = scene_.spots[watch.owner].at.z;
  query.min_height = watch.min_height;
  query.max_height = watch.max_height;
  return query;
}

// A watcher does not see its owner.
template <class Cells>
FewBits GridLayer<Cells>::others(const Watcher& watcher, const Around& around) const {
  const std::uint32_t bit = around.offsets[kCentre] * kBlockPlaces + watcher.place -
                            around.runs[kCentre]->first * kBlockPlaces;
  const std::uint64_t owner = watcher.place == kNone ? 0 : std::uint64_t{1} << bit % 64;
  return bit < 64 ? FewBits{~owner, ~std::uint64_t{0}} : FewBits{~std::uint64_t{0}, ~owner};
}

template <class Cells>
void GridLayer<Cells>::take_along(std::uint32_t at, Batch& batch) {
  const Watcher& watcher = watchers_[at];
  batch_[batch.count] = at;
  if (watcher.plain) [[likely]] {
    queries_[batch.count++] = query_of(watcher);
    return;
  }
  // Who has neither passes a scan for both.
  const Query query = full_query_of(watcher);
  queries_[batch.count++] = query;
  batch.plain = false;
  batch.margin = batch.margin || query.stay_limit > query.enter_limit;
  batch.height = batch.height || std::isfinite(query.min_height) || std::isfinite(query.max_height);
}

template <class Cells>
FewBits GridLayer<Cells>::passing(const Around& around, FilterNumber filter) const {
  const auto& passes = arena_.passes[filter];
  FewBits bits{};
  for (std::uint32_t at = 0; at < around.size(); ++at) {
    const std::uint64_t passed = passes[around.block_at[at]];
    (at < 8 ? bits.low : bits.high) |= passed << 8 * (at % 8);
  }
  return bits;
}

// What margins and filters make of the scans.
template <class Cells>
void GridLayer<Cells>::refine(const Around& around, const Batch& batch) {
  struct Passed {
    FilterNumber filter = 0;
    FewBits bits = {};
  };
  Passed known[4];  // sensors of one home mostly have a few filters in common
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Watcher& watcher = watchers_[batch_[i]];
    FewBits& now = scans_[i].enter;
    if (batch.margin) {
      now.low |= load(watcher.row.data()) & scans_[i].stay.low;
      now.high |= load(watcher.row.data() + 8) & scans_[i].stay.high;
    }
    if (watcher.filter == 0) continue;
    Passed& passed = known[watcher.filter % std::size(known)];
    if (passed.filter != watcher.filter) {
      passed = {watcher.filter, passing(around, watcher.filter)};
    }
    now.low &= passed.bits.low;
    now.high &= passed.bits.high;
  }
}

// Those for whom anything has changed are picked out without branches: that is as likely as not.
template <class Cells>
void GridLayer<Cells>::scan_batch(const Around& around, Batch& batch, Delta& delta) {
  const std::size_t variant =
      KernelTable::variant(scene_.metric == Metric::square, batch.margin, batch.height);
  kernels_.few[variant](around.blocks, around.heights, around.size(), queries_.data(), batch.count,
                        scans_.data());
  if (!batch.plain) refine(around, batch);
  std::uint32_t changed[kBatch];
  std::uint32_t changes = 0;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Watcher& watcher = watchers_[batch_[i]];
    FewBits& now = scans_[i].enter;
    const FewBits seen = others(watcher, around);
    now.low &= seen.low;
    now.high &= seen.high;
    const bool differs =
        ((now.low ^ load(watcher.row.data())) | (now.high ^ load(watcher.row.data() + 8))) != 0;
    changed[changes] = i;
    changes += differs || (!watcher.plain && scene_.always[watcher.sensor]) ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < changes; ++i) {
    Watcher& watcher = watchers_[batch_[changed[i]]];
    report_few(watcher, around, scans_[changed[i]].enter, delta);
    if (watcher.plain) [[likely]] {
      delta.close(watcher.sensor, false, false);
    } else {
      delta.close(watcher.sensor, scene_);
    }
  }
  batch = {};
}

// Tells the difference between the row and what it is now, and makes that the row.
template <class Cells>
void GridLayer<Cells>::report_few(Watcher& watcher, const Around& around, const FewBits& now,
                                  Delta& delta) {
  DeltaWriter writer(delta, kFewBlocks * kBlockPlaces);
  const auto tell = [&](std::uint64_t was, std::uint64_t is, std::size_t first) {
    for (std::uint64_t bits = was ^ is; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::uint32_t block = around.block_at[first + bit / 8];
      writer.write(arena_.entities[block * kBlockPlaces + bit % 8], (was >> bit & 1) != 0);
    }
  };
  tell(load(watcher.row.data()), now.low, 0);
  tell(load(watcher.row.data() + 8), now.high, 8);
  store(watcher.row.data(), now.low);
  store(watcher.row.data() + 8, now.high);
}

}  // namespace starbus::aoi
