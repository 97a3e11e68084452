/// Evaluates watchers in a crowd, where rows are longer than two words, one by one. Works on a
/// GridState that outlives it; owns scratch memory; one thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "aoi/arrays/bits.hpp"
#include "aoi/index/around.hpp"
#include "aoi/index/delta_writer.hpp"
#include "aoi/index/extent.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

template <class Cells>
class CrowdScan {
 public:
  explicit CrowdScan(GridState<Cells>& state) : s_(state) {}

  /// Comes before evaluate() of the watchers of one home.
  void lay_out(const Around& around);
  /// Scans the cells whose bits in `mask` are set.
  void evaluate(Watcher& watcher, const Around& around, std::uint32_t mask, Delta& delta);
  /// See Index::in_range_within.
  void in_range_within(SensorIndex sensor, float limit, std::vector<Candidate>& out) const;

 private:
  static constexpr std::uint32_t kCrowd = 64;          ///< entities of a cell with an extent
  static constexpr std::uint32_t kScannedAtOnce = 64;  ///< blocks

  bool scan_runs(Watcher& watcher, const Around& around, const Query& query, std::size_t variant,
                 std::uint32_t mask);
  void write_delta(Watcher& watcher, Delta& delta);
  void add_near(const Query& query, std::uint32_t first, std::span<const std::uint8_t> row,
                std::vector<Candidate>& out) const;

  GridState<Cells>& s_;
  std::array<Extent, kNeighbours> extents_;  ///< by neighbour of one home
  std::vector<std::uint8_t> fresh_;          ///< the row as it is now
  std::vector<std::uint32_t> block_at_;      ///< by byte of the rows of one home
};

template <class Cells>
void CrowdScan<Cells>::evaluate(Watcher& watcher, const Around& around, std::uint32_t mask,
                                Delta& delta) {
  const Watch& watch = s_.scene.watches[watcher.sensor];
  const std::size_t variant = KernelTable::variant(s_.scene.metric == Metric::square,
                                                   watch.leave_margin > 0, watch.has_height);
  const Query query = watcher.plain ? query_of(s_, watcher) : full_query_of(s_, watcher);
  if (scan_runs(watcher, around, query, variant, mask)) write_delta(watcher, delta);
  delta.close(watcher.sensor, s_.scene);
}

template <class Cells>
bool CrowdScan<Cells>::scan_runs(Watcher& watcher, const Around& around, const Query& query,
                                 std::size_t variant, std::uint32_t mask) {
  const std::size_t size = around.size();
  if (fresh_.size() < size) fresh_.resize(size);
  const std::uint8_t* row = watcher.row.data();
  std::memcpy(fresh_.data(), row, size);
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const Run& run = *around.runs[i];
    if ((mask >> i & 1) == 0 || run.used == 0) continue;
    std::uint8_t* out = fresh_.data() + around.offsets[i];
    switch (extents_[i].seen_by(query, s_.scene.metric)) {
      case Extent::Seen::all:
        std::memcpy(out, &s_.arena.occupied[run.first], run.used);
        break;
      case Extent::Seen::none:
        std::memset(out, 0, run.used);
        continue;
      case Extent::Seen::some:
        s_.kernels.run[variant](&s_.arena.blocks[run.first], s_.arena.heights_at(run.first),
                                run.used, query, row + around.offsets[i], out);
    }
    if (watcher.filter == 0) continue;
    keep_common(out, s_.arena.passes[watcher.filter].data() + run.first, run.used);
  }
  const std::uint32_t place = watcher.place;
  if (place != kNone) {
    const std::uint32_t bit = around.offsets[kCentre] * 8 + place - around.runs[kCentre]->first * 8;
    fresh_[bit / 8] = static_cast<std::uint8_t>(fresh_[bit / 8] & ~(1u << bit % 8));
  }
  return std::memcmp(fresh_.data(), row, size) != 0;
}

// Sets which block each byte of the rows of this home stands for, and the extent of each crowd.
template <class Cells>
void CrowdScan<Cells>::lay_out(const Around& around) {
  block_at_.resize(around.size());
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const std::uint32_t first = around.runs[i]->first;
    for (std::uint32_t at = around.offsets[i]; at < around.offsets[i + 1]; ++at) {
      block_at_[at] = first + at - around.offsets[i];
    }
    // An extent knows no heights, and a few blocks are scanned faster than it is computed.
    const Run& run = *around.runs[i];
    const bool crowd = run.count >= kCrowd && s_.arena.heights.empty();
    extents_[i] = crowd ? Extent::of({&s_.arena.blocks[run.first], run.used}) : Extent{};
  }
}

// Writes the difference between fresh_ and the row to the delta, and makes fresh_ the row.
template <class Cells>
void CrowdScan<Cells>::write_delta(Watcher& watcher, Delta& delta) {
  std::uint8_t* const row = watcher.row.data();
  const std::size_t size = block_at_.size();
  DeltaWriter writer(delta, size * kBlockPlaces);
  const auto write = [&](std::uint64_t was, std::uint64_t is, std::size_t first) {
    for (std::uint64_t bits = was ^ is; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::size_t place = block_at_[first + bit / 8] * std::size_t{kBlockPlaces} + bit % 8;
      writer.write(s_.arena.entities[place], (was >> bit & 1) != 0);
    }
  };
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    write(load(row + at), load(fresh_.data() + at), at);
  }
  for (; at < size; ++at) write(row[at], fresh_[at], at);
  std::memcpy(row, fresh_.data(), size);
}

template <class Cells>
void CrowdScan<Cells>::in_range_within(SensorIndex sensor, float limit,
                                       std::vector<Candidate>& out) const {
  const Watcher& watcher = s_.watcher_of(sensor);
  const Position& from = s_.scene.spots[s_.scene.watches[sensor].owner].at;
  const auto add = [&](EntityIndex target) {
    const Position& at = s_.scene.spots[target].at;
    const float squared = distance_squared(at.x - from.x, at.y - from.y);
    if (squared <= limit) out.push_back({squared, target});
  };
  Around around;
  gather(s_, s_.site_of(watcher).cell, around);
  if (around.few || limit == std::numeric_limits<float>::infinity()) {
    s_.each_bit(watcher, add);
    return;
  }
  const Query query{from.x, from.y, from.z, limit, limit, 0, 0};
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const std::uint8_t* const row = watcher.row.data() + around.offsets[i];
    const Run& run = *around.runs[i];
    for (std::uint32_t first = 0; first < run.used; first += kScannedAtOnce) {
      const std::uint32_t count = std::min(run.used - first, kScannedAtOnce);
      add_near(query, run.first + first, {row + first, count}, out);
    }
  }
}

// Appends the entities of some blocks that are in the row and near enough.
template <class Cells>
void CrowdScan<Cells>::add_near(const Query& query, std::uint32_t first,
                                std::span<const std::uint8_t> row,
                                std::vector<Candidate>& out) const {
  constexpr std::size_t kSure = 4;
  std::uint8_t near[kScannedAtOnce] = {};
  std::uint8_t seen[kScannedAtOnce] = {};
  std::uint32_t places[kScannedAtOnce * kBlockPlaces + kSure];
  s_.kernels.run[0](&s_.arena.blocks[first], nullptr, row.size(), query, nullptr, near);
  std::memcpy(seen, row.data(), row.size());
  std::uint32_t* end = places;
  for (std::uint32_t at = 0; at < row.size(); at += 8) {
    end = write_bits<kSure>(load(near + at) & load(seen + at), (first + at) * kBlockPlaces, end);
  }
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(end - places));
  Candidate* next = out.data() + before;
  for (const std::uint32_t place : std::span<const std::uint32_t>(places, end)) {
    const Block& block = s_.arena.blocks[place / kBlockPlaces];
    const std::size_t lane = place % kBlockPlaces;
    const float squared = distance_squared(block.x[lane] - query.x, block.y[lane] - query.y);
    *next++ = {squared, s_.arena.entities[place]};
  }
}

}  // namespace starbus::aoi
