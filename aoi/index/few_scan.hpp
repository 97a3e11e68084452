/// Evaluates watchers with few blocks around them, as there are almost everywhere in the open:
/// their rows are two words, and those of one home are scanned together. Works on a GridState that
/// outlives it; owns scratch memory; one thread.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "aoi/index/around.hpp"
#include "aoi/index/delta_writer.hpp"

namespace starbus::aoi {

static_assert(kFewBlocks <= Row::kInPlace);

template <class Cells>
class FewScan {
 public:
  static constexpr std::size_t kBatch = 16;  ///< watchers that are scanned together

  /// Watchers of one home.
  struct Batch {
    std::uint32_t count = 0;
    bool plain = true;  ///< all are
    bool margin = false;
    bool height = false;
  };

  explicit FewScan(GridState<Cells>& state) : s_(state) {}

  /// Adds a watcher to a batch that has room.
  void add(std::uint32_t watcher, Batch& batch);
  /// Evaluates the batch and empties it.
  void scan(const Around& around, Batch& batch, Delta& delta);

 private:
  FewBits others(const Watcher& watcher, const Around& around) const;
  FewBits passing(const Around& around, FilterNumber filter) const;
  void refine(const Around& around, const Batch& batch);
  void write_delta(Watcher& watcher, const Around& around, const FewBits& now, Delta& delta);

  GridState<Cells>& s_;
  std::array<std::uint32_t, kBatch> batch_;
  std::array<Query, kBatch> queries_;
  std::array<FewScans, kBatch> scans_;
};

// All bits but that of the owner, which its sensor does not see.
template <class Cells>
FewBits FewScan<Cells>::others(const Watcher& watcher, const Around& around) const {
  const std::uint32_t bit = around.offsets[kCentre] * kBlockPlaces + watcher.place -
                            around.runs[kCentre]->first * kBlockPlaces;
  const std::uint64_t owner = watcher.place == kNone ? 0 : std::uint64_t{1} << bit % 64;
  return bit < 64 ? FewBits{~owner, ~std::uint64_t{0}} : FewBits{~std::uint64_t{0}, ~owner};
}

template <class Cells>
void FewScan<Cells>::add(std::uint32_t at, Batch& batch) {
  const GridState<Cells>& s = s_;
  const Watcher& watcher = s.watchers[at];
  assert(batch.count < kBatch);
  batch_[batch.count] = at;
  if (watcher.plain) [[likely]] {
    queries_[batch.count++] = query_of(s, watcher);
    return;
  }
  // Queries without margin or height pass the combined scan.
  const Query query = full_query_of(s, watcher);
  queries_[batch.count++] = query;
  batch.plain = false;
  batch.margin = batch.margin || query.stay_limit > query.enter_limit;
  batch.height = batch.height || std::isfinite(query.min_height) || std::isfinite(query.max_height);
}

template <class Cells>
FewBits FewScan<Cells>::passing(const Around& around, FilterNumber filter) const {
  const auto& passes = s_.arena.passes[filter];
  FewBits bits{};
  for (std::uint32_t at = 0; at < around.size(); ++at) {
    const std::uint64_t passed = passes[around.block_at[at]];
    (at < 8 ? bits.low : bits.high) |= passed << 8 * (at % 8);
  }
  return bits;
}

// Applies margins and filters to the scans.
template <class Cells>
void FewScan<Cells>::refine(const Around& around, const Batch& batch) {
  struct Passed {
    FilterNumber filter = 0;
    FewBits bits = {};
  };
  Passed known[4];  // sensors of one home mostly share a few filters
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Watcher& watcher = s_.watchers[batch_[i]];
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

// Branch-free selection of the watchers with changes: a change is as likely as not.
template <class Cells>
void FewScan<Cells>::scan(const Around& around, Batch& batch, Delta& delta) {
  GridState<Cells>& s = s_;
  const std::size_t variant =
      KernelTable::variant(s.scene.metric == Metric::square, batch.margin, batch.height);
  s.kernels.few[variant](around.blocks, around.heights, around.size(), queries_.data(), batch.count,
                         scans_.data());
  if (!batch.plain) refine(around, batch);
  std::uint32_t changed[kBatch];
  std::uint32_t changes = 0;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Watcher& watcher = s.watchers[batch_[i]];
    FewBits& now = scans_[i].enter;
    const FewBits seen = others(watcher, around);
    now.low &= seen.low;
    now.high &= seen.high;
    const bool differs =
        ((now.low ^ load(watcher.row.data())) | (now.high ^ load(watcher.row.data() + 8))) != 0;
    changed[changes] = i;
    changes += differs || (!watcher.plain && s.scene.always[watcher.sensor]) ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < changes; ++i) {
    Watcher& watcher = s.watchers[batch_[changed[i]]];
    write_delta(watcher, around, scans_[changed[i]].enter, delta);
    if (watcher.plain) [[likely]] {
      delta.close(watcher.sensor, false, false);
    } else {
      delta.close(watcher.sensor, s.scene);
    }
  }
  batch = {};
}

// Writes the difference between the row and `now` to the delta, and makes `now` the row.
template <class Cells>
void FewScan<Cells>::write_delta(Watcher& watcher, const Around& around, const FewBits& now,
                                 Delta& delta) {
  DeltaWriter writer(delta, kFewBlocks * kBlockPlaces);
  const EntityIndex* const entities = s_.arena.entities.data();
  const auto write = [&](std::uint64_t was, std::uint64_t is, std::size_t first) {
    for (std::uint64_t bits = was ^ is; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::uint32_t block = around.block_at[first + bit / 8];
      writer.write(entities[block * kBlockPlaces + bit % 8], (was >> bit & 1) != 0);
    }
  };
  write(load(watcher.row.data()), now.low, 0);
  write(load(watcher.row.data() + 8), now.high, 8);
  store(watcher.row.data(), now.low);
  store(watcher.row.data() + 8, now.high);
}

}  // namespace starbus::aoi
