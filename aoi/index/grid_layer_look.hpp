/// Of GridLayer: who has to look, and at which of the nine cells. Included by grid_layer.cpp alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

// Dirt in a cell concerns all who are at home around it.
template <class Cells>
void GridLayer<Cells>::spread_dirt() {
  for (const CellIndex cell : std::span(dirty_cells_).first(dirty_count_)) {
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      const CellIndex home = cells_.neighbour(cell, i);
      if (home != kNone) touched_[home / 64] |= std::uint64_t{1} << home % 64;
    }
  }
}

template <class Cells>
void GridLayer<Cells>::settle_dirt() {
  for (const CellIndex cell : std::span(dirty_cells_).first(dirty_count_)) {
    dirty_[cell] = 0;
    const Run& run = runs_[cell];
    if (run.used != 0) std::memset(arena_.moved.data() + run.first, 0, run.used);
  }
  dirty_count_ = 0;
}

template <class Cells>
void GridLayer<Cells>::gather(CellIndex home, Around& around) const {
  static constexpr Run kNoRun{};
  around.dirty = 0;
  around.entities = 0;
  around.offsets[0] = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells_.neighbour(home, i);
    const Run& run = cell == kNone ? kNoRun : runs_[cell];
    around.runs[i] = &run;
    around.offsets[i + 1] = around.offsets[i] + run.width();
    around.entities += run.count;
    around.dirty |= cell == kNone ? 0u : std::uint32_t{dirty_[cell]} << i;
  }
  around.few = around.size() <= kFewBlocks;
  if (!around.few) return;
  const Block* const blocks = arena_.blocks.data();
  std::uint32_t at = 0;
  const auto add = [&](std::uint32_t block) {
    around.block_at[at] = block;
    around.blocks[at++] = blocks + block;
  };
  if (around.size() == kNeighbours) [[likely]] {  // in the open: without asking nine times
    for (const Run* const run : around.runs) add(run->first);
  } else {
    for (const Run* const run : around.runs) {
      for (std::uint32_t i = 0; i < run->width(); ++i) add(run->first + i);
    }
  }
  if (arena_.heights.empty()) return;
  for (at = 0; at < around.size(); ++at) {
    around.heights[at] = &arena_.heights[around.block_at[at]];
  }
}

// Which of the nine cells a watcher has to look at.
template <class Cells>
std::uint32_t GridLayer<Cells>::mask_of(const Watcher& watcher, const Around& around) const {
  if (watcher.stale) return kAllCells;
  const std::uint32_t place = watcher.place;
  const bool moved =
      place != kNone && (arena_.moved[place / kBlockPlaces] >> place % kBlockPlaces & 1) != 0;
  return moved ? kAllCells : around.dirty;
}

// Few blocks are scanned all.
template <class Cells>
std::uint64_t GridLayer<Cells>::cost_of(const Around& around, std::uint32_t mask) const {
  if (around.few || mask == kAllCells) return around.entities;
  std::uint64_t tests = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    if ((mask >> i & 1) != 0) tests += around.runs[i]->count;
  }
  return tests;
}

// Watchers lie in memory as they came; the next ones are fetched while one home is looked from.
template <class Cells>
void GridLayer<Cells>::prefetch(CellIndex home) const {
  for (const std::uint32_t at : homes_[home]) prefetch_line_to_write(&watchers_[at]);
  // Homes follow each other to the right: the other blocks have been there before.
  for (const std::size_t i : {2, 5, 8}) {
    const CellIndex cell = cells_.neighbour(home, i);
    if (cell != kNone) prefetch_line(&arena_.blocks[runs_[cell].first]);
  }
}

template <class Cells>
void GridLayer<Cells>::dirty(std::vector<Dirty>& out) {
  settle();
  follow_traces();
  spread_dirt();
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    for (std::uint64_t bits = touched_[word]; bits != 0; bits &= bits - 1) {
      const auto home =
          static_cast<CellIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (home >= homes_.size() || homes_[home].empty()) continue;
      Around around;
      gather(home, around);
      for (const std::uint32_t at : homes_[home]) {
        const std::uint32_t mask = mask_of(watchers_[at], around);
        if (mask != 0) out.push_back({watchers_[at].sensor, cost_of(around, mask)});
      }
    }
  }
}

template <class Cells>
void GridLayer<Cells>::evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) {
  settle();
  if (skip != nullptr) follow_traces();  // not everybody around finds them
  settle_orphans(delta);
  spread_dirt();
  evaluating_.clear();
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    std::uint64_t bits = touched_[word];
    touched_[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto home =
          static_cast<CellIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (home < homes_.size() && !homes_[home].empty()) evaluating_.push_back(home);
    }
  }
  for (std::size_t i = 0; i < evaluating_.size(); ++i) {
    if (i + 2 < evaluating_.size()) prefetch(evaluating_[i + 2]);
    evaluate_from(evaluating_[i], delta, skip);
  }
  settle_dirt();
  end_traces();
}

// An orphan whose place is within the nine cells again is in the row again. Any other is out of
// reach: it leaves now, also if its sensor would look later.
template <class Cells>
void GridLayer<Cells>::settle_orphans(Delta& delta) {
  if (orphans_.empty()) return;
  constexpr std::size_t kAhead = 8;  // as many are fetched while one is settled
  group_by_sensor(orphans_, grouped_);
  std::size_t i = 0;
  while (i < orphans_.size()) {
    const SensorIndex sensor = orphans_[i].sensor;
    Watcher& watcher = watchers_[served_[sensor].watcher()];
    for (; i < orphans_.size() && orphans_[i].sensor == sensor; ++i) {
      if (i + kAhead < orphans_.size()) {
        const Pair& next = orphans_[i + kAhead];
        prefetch_line(&places_[next.target]);
        prefetch_line_to_write(&watchers_[served_[next.sensor].watcher()]);
        prefetch_line(&sites_[served_[next.sensor].watcher()]);
      }
      const std::uint32_t bit = bit_of(watcher, orphans_[i].target);
      if (bit == kNone) {
        delta.leave(orphans_[i].target);
      } else {
        watcher.row.set(bit);
        mark_stale(watcher);
      }
    }
    delta.close(sensor, scene_.watches[sensor].tracked, false);
  }
  orphans_.clear();
}

template <class Cells>
void GridLayer<Cells>::evaluate_from(CellIndex home, Delta& delta,
                                     const std::vector<std::uint8_t>* skip) {
  Around around;
  gather(home, around);
  ++delta.visited;
  if (!around.few) lay_out(around);
  Batch batch;
  for (const std::uint32_t at : homes_[home]) {
    Watcher& watcher = watchers_[at];
    const std::uint32_t mask = mask_of(watcher, around);
    if (mask == 0) continue;
    if (skip != nullptr && (*skip)[watcher.sensor] != 0) {
      mark_stale(watcher);
      continue;
    }
    watcher.stale = false;
    ++delta.evaluated;
    delta.pair_tests += cost_of(around, mask);
    if (around.few) [[likely]] {
      take_along(at, batch);
      if (batch.count == kBatch) scan_batch(around, batch, delta);
    } else {
      evaluate_alone(watcher, around, mask, delta);
    }
  }
  if (batch.count != 0) scan_batch(around, batch, delta);
}

}  // namespace starbus::aoi
