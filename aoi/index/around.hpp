/// The nine cells around one home as an evaluation needs them, and what one watcher asks of them.
/// Plain values and pure functions.
#pragma once

#include <limits>

#include "aoi/index/grid_state.hpp"

namespace starbus::aoi {

struct Around {
  const Run* runs[kNeighbours];
  std::uint32_t offsets[kNeighbours + 1];  ///< of their bytes in the rows; then the rows' size
  std::uint32_t dirty;                     ///< a bit per cell
  std::uint32_t entities;                  ///< in all nine
  bool few;                                ///< rows fit into two words; then, by byte of the rows:
  std::uint32_t block_at[kFewBlocks];
  const Block* blocks[kFewBlocks];
  const HeightBlock* heights[kFewBlocks];  ///< only with heights

  std::uint32_t size() const { return offsets[kNeighbours]; }
};

/// Collects the cells around `home`; cells that are not open, or have no blocks, are empty.
template <class Cells>
void gather(const GridState<Cells>& s, CellIndex home, Around& around) {
  static constexpr Run kNoRun{};
  around.dirty = 0;
  around.entities = 0;
  around.offsets[0] = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = s.cells.neighbour(home, i);
    const Run& run = cell == kNone ? kNoRun : s.runs[cell];
    around.runs[i] = &run;
    around.offsets[i + 1] = around.offsets[i] + run.width();
    around.entities += run.count;
    around.dirty |= cell == kNone ? 0u : std::uint32_t{s.dirty[cell]} << i;
  }
  around.few = around.size() <= kFewBlocks;
  if (!around.few) return;
  const Block* const blocks = s.arena.blocks.data();
  std::uint32_t at = 0;
  const auto add = [&](std::uint32_t block) {
    around.block_at[at] = block;
    around.blocks[at++] = blocks + block;
  };
  if (around.size() == kNeighbours) [[likely]] {  // the usual case, without a loop per cell
    for (const Run* const run : around.runs) add(run->first);
  } else {
    for (const Run* const run : around.runs) {
      for (std::uint32_t i = 0; i < run->width(); ++i) add(run->first + i);
    }
  }
  if (s.arena.heights.empty()) return;
  for (at = 0; at < around.size(); ++at) {
    around.heights[at] = &s.arena.heights[around.block_at[at]];
  }
}

// A bit for each of the nine cells that the watcher must scan.
template <class Cells>
std::uint32_t mask_of(const GridState<Cells>& s, const Watcher& watcher, const Around& around) {
  if (watcher.stale) return kAllCells;
  const std::uint32_t place = watcher.place;
  const bool moved =
      place != kNone && (s.arena.moved[place / kBlockPlaces] >> place % kBlockPlaces & 1) != 0;
  return moved ? kAllCells : around.dirty;
}

// In pair tests. If there are few blocks, all are scanned.
inline std::uint64_t cost_of(const Around& around, std::uint32_t mask) {
  if (around.few || mask == kAllCells) return around.entities;
  std::uint64_t tests = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    if ((mask >> i & 1) != 0) tests += around.runs[i]->count;
  }
  return tests;
}

// Without margin and heights, as most sensors are; where blocks have heights, all pass.
template <class Cells>
Query query_of(const GridState<Cells>& s, const Watcher& watcher) {
  constexpr float kAny = std::numeric_limits<float>::infinity();
  const float limit = watcher.enter_limit;
  if (watcher.place != kNone) [[likely]] {
    const Block& block = s.arena.blocks[watcher.place / kBlockPlaces];
    const std::uint32_t lane = watcher.place % kBlockPlaces;
    return {block.x[lane], block.y[lane], 0, limit, limit, -kAny, kAny};
  }
  const Position& from = s.scene.spots[s.scene.watches[watcher.sensor].owner].at;
  return {from.x, from.y, from.z, limit, limit, -kAny, kAny};
}

// With the leave margin and the heights.
template <class Cells>
Query full_query_of(const GridState<Cells>& s, const Watcher& watcher) {
  Query query = query_of(s, watcher);
  query.stay_limit = s.site_of(watcher).stay_limit;
  if (s.arena.heights.empty()) return query;
  const Watch& watch = s.scene.watches[watcher.sensor];
  if (!watch.has_height) return query;
  query.z = s.scene.spots[watch.owner].at.z;
  query.min_height = watch.min_height;
  query.max_height = watch.max_height;
  return query;
}

}  // namespace starbus::aoi
