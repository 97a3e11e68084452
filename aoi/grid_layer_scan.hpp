/// Of GridLayer: one look, from the nine cells to what has changed. Included by grid_layer.cpp
/// alone.
#pragma once

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "aoi/flip_writer.hpp"
#include "aoi/grid_layer.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

template <class Cells>
Look GridLayer<Cells>::look_of(const Watcher& watcher) const {
  if (watcher.place != kNone) [[likely]] {
    const Block& block = arena_.blocks[watcher.place / kBlockPlaces];
    return {block.x[watcher.place % kBlockPlaces],
            block.y[watcher.place % kBlockPlaces],
            0,
            watcher.enter_limit,
            watcher.enter_limit,
            0,
            0};
  }
  const Position& from = scene_.spots[scene_.watches[watcher.sensor].owner].at;
  return {from.x, from.y, from.z, watcher.enter_limit, watcher.enter_limit, 0, 0};
}

// A watcher does not see its owner.
template <class Cells>
std::uint64_t GridLayer<Cells>::others(const Watcher& watcher) const {
  if (watcher.place == kNone) return ~std::uint64_t{0};
  return ~(std::uint64_t{1} << (kCentre * 8 + watcher.place % kBlockPlaces));
}

// Plain watchers of one home whose rows are nine bytes. Those for whom anything has changed are
// picked out without branches: that is as likely as not.
template <class Cells>
void GridLayer<Cells>::scan_batch(const Around& around, std::uint32_t count, Flips& flips) {
  const bool square = scene_.metric == Metric::square;
  kernels_.nine[KernelTable::variant(square, false, false)](around.blocks, around.heights,
                                                            looks_.data(), count, scans_.data());
  std::uint32_t changed[kBatch];
  std::uint32_t changes = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Watcher& watcher = watchers_[batch_[i]];
    NineBytes& now = scans_[i].enter;
    now.low &= others(watcher);
    changed[changes] = i;
    changes +=
        ((now.low ^ load(watcher.row.data())) | (now.high ^ load(watcher.row.data() + 8))) != 0 ? 1
                                                                                                : 0;
  }
  for (std::uint32_t i = 0; i < changes; ++i) {
    Watcher& watcher = watchers_[batch_[changed[i]]];
    report_single(watcher, around, scans_[changed[i]].enter, flips);
    flips.close(watcher.sensor, false, false);
  }
}

template <class Cells>
void GridLayer<Cells>::look_alone(Watcher& watcher, const Around& around, std::uint32_t mask,
                                  Flips& flips) {
  const Watch& watch = scene_.watches[watcher.sensor];
  Look look = look_of(watcher);
  look.stay_limit = site_of(watcher).stay_limit;
  look.z = scene_.spots[watch.owner].at.z;
  look.min_height = watch.min_height;
  look.max_height = watch.max_height;
  const std::size_t variant = KernelTable::variant(scene_.metric == Metric::square,
                                                   watch.leave_margin > 0, watch.has_height);
  if (around.single) {
    NineBytes now;
    if (scan_single(watcher, around, look, variant, now)) {
      report_single(watcher, around, now, flips);
    }
  } else if (scan_runs(watcher, around, look, variant, mask)) {
    report(watcher, flips);
  }
  flips.close(watcher.sensor, watch);
}

// All nine cells have one block at most: two words hold the row. Says whether it has changed.
template <class Cells>
bool GridLayer<Cells>::scan_single(const Watcher& watcher, const Around& around, const Look& look,
                                   std::size_t variant, NineBytes& now) {
  NineScans scans;
  kernels_.nine[variant](around.blocks, around.heights, &look, 1, &scans);
  std::uint64_t low = scans.enter.low;
  std::uint64_t high = scans.enter.high;
  const std::uint64_t old_low = load(watcher.row.data());
  const std::uint64_t old_high = load(watcher.row.data() + 8);
  if (scene_.watches[watcher.sensor].leave_margin > 0) {
    low |= old_low & scans.stay.low;
    high |= old_high & scans.stay.high;
  }
  if (watcher.filter != 0) {
    const auto& pass = arena_.passes[watcher.filter];
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i + 1 < kNeighbours; ++i) {
      passed |= std::uint64_t{pass[around.runs[i]->first]} << 8 * i;
    }
    low &= passed;
    high &= pass[around.runs[kNeighbours - 1]->first];
  }
  low &= others(watcher);
  now = {low, high};
  return ((low ^ old_low) | (high ^ old_high)) != 0;
}

template <class Cells>
bool GridLayer<Cells>::scan_runs(Watcher& watcher, const Around& around, const Look& look,
                                 std::size_t variant, std::uint32_t mask) {
  const std::size_t size = around.offsets[kNeighbours];
  if (fresh_.size() < size) fresh_.resize(size);
  const std::uint8_t* row = watcher.row.data();
  std::memcpy(fresh_.data(), row, size);
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const Run& run = *around.runs[i];
    if ((mask >> i & 1) == 0 || run.used == 0) continue;
    std::uint8_t* out = fresh_.data() + around.offsets[i];
    kernels_.run[variant](around.blocks[i], around.heights[i], run.used, look,
                          row + around.offsets[i], out);
    if (watcher.filter == 0) continue;
    const std::uint8_t* pass = arena_.passes[watcher.filter].data() + run.first;
    for (std::uint32_t block = 0; block < run.used; ++block) out[block] &= pass[block];
  }
  const std::uint32_t place = watcher.place;
  if (place != kNone) {
    const std::uint32_t bit = around.offsets[kCentre] * 8 + place - around.runs[kCentre]->first * 8;
    fresh_[bit / 8] = static_cast<std::uint8_t>(fresh_[bit / 8] & ~(1u << bit % 8));
  }
  return std::memcmp(fresh_.data(), row, size) != 0;
}

// Which block each byte of the rows of this home stands for.
template <class Cells>
void GridLayer<Cells>::lay_out(const Around& around) {
  block_at_.resize(around.offsets[kNeighbours]);
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const std::uint32_t first = around.runs[i]->first;
    for (std::uint32_t at = around.offsets[i]; at < around.offsets[i + 1]; ++at) {
      block_at_[at] = first + at - around.offsets[i];
    }
  }
}

// Tells the difference between fresh_ and the row, and makes fresh_ the row.
template <class Cells>
void GridLayer<Cells>::report(Watcher& watcher, Flips& flips) {
  std::uint8_t* const row = watcher.row.data();
  const std::size_t size = block_at_.size();
  FlipWriter writer(flips, size * kBlockPlaces);
  const auto tell = [&](std::uint64_t was, std::uint64_t is, std::size_t first) {
    for (std::uint64_t bits = was ^ is; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::size_t place = block_at_[first + bit / 8] * std::size_t{kBlockPlaces} + bit % 8;
      writer.write(arena_.entities[place], (was >> bit & 1) != 0);
    }
  };
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    tell(load(row + at), load(fresh_.data() + at), at);
  }
  for (; at < size; ++at) tell(row[at], fresh_[at], at);
  std::memcpy(row, fresh_.data(), size);
}

// The same where two words hold the row.
template <class Cells>
void GridLayer<Cells>::report_single(Watcher& watcher, const Around& around, const NineBytes& now,
                                     Flips& flips) {
  FlipWriter writer(flips, kNeighbours * kBlockPlaces);
  const auto tell = [&](std::uint64_t was, std::uint64_t is, std::size_t first) {
    for (std::uint64_t bits = was ^ is; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::uint32_t block = around.runs[first + bit / 8]->first;
      writer.write(arena_.entities[block * kBlockPlaces + bit % 8], (was >> bit & 1) != 0);
    }
  };
  tell(load(watcher.row.data()), now.low, 0);
  tell(load(watcher.row.data() + 8), now.high, kNeighbours - 1);
  store(watcher.row.data(), now.low);
  store(watcher.row.data() + 8, now.high);
}

template <class Cells>
void GridLayer<Cells>::in_range_within(SensorIndex sensor, float limit,
                                       std::vector<Candidate>& out) const {
  const Watcher& watcher = watchers_[served_[sensor].watcher()];
  const Position& from = scene_.spots[scene_.watches[sensor].owner].at;
  const auto add = [&](EntityIndex target) {
    const Position& at = scene_.spots[target].at;
    const float squared = distance_squared(at.x - from.x, at.y - from.y);
    if (squared <= limit) out.push_back({squared, target});
  };
  Around around;
  gather(site_of(watcher).cell, around);
  if (around.single || limit == std::numeric_limits<float>::infinity()) {
    each_bit(watcher, add);
    return;
  }
  const Look look{from.x, from.y, from.z, limit, limit, 0, 0};
  std::vector<std::uint8_t> near;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const Run& run = *around.runs[i];
    if (run.used == 0) continue;
    near.resize(run.used);
    kernels_.run[0](around.blocks[i], nullptr, run.used, look, nullptr, near.data());
    const std::uint8_t* row = watcher.row.data() + around.offsets[i];
    for (std::uint32_t block = 0; block < run.used; ++block) {
      const Block& of = around.blocks[i][block];
      const EntityIndex* entities = &arena_.entities[(run.first + block) * kBlockPlaces];
      for (unsigned bits = near[block] & row[block]; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(bits));
        const float squared = distance_squared(of.x[lane] - from.x, of.y[lane] - from.y);
        out.push_back({squared, entities[lane]});
      }
    }
  }
}

}  // namespace starbus::aoi
