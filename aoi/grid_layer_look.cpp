#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "aoi/grid_layer.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {
namespace {

constexpr std::uint32_t kAllCells = (1u << kNeighbours) - 1;

std::uint64_t load(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
void store(std::uint8_t* bytes, std::uint64_t word) {
  std::memcpy(bytes, &word, sizeof word);
}

// Writes what has left and what has entered without asking which of the two it is: one guess in two
// would be wrong. `most`: flips at most.
class FlipWriter {
 public:
  FlipWriter(Flips& flips, std::size_t most)
      : flips_(flips),
        left_begin_(flips.left.room(most)),
        entered_begin_(flips.entered.room(most)),
        left_(left_begin_),
        entered_(entered_begin_) {}
  ~FlipWriter() {
    flips_.left.add(static_cast<std::size_t>(left_ - left_begin_));
    flips_.entered.add(static_cast<std::size_t>(entered_ - entered_begin_));
  }
  FlipWriter(const FlipWriter&) = delete;
  FlipWriter& operator=(const FlipWriter&) = delete;

  void write(EntityIndex target, bool left) {
    *left_ = target;
    *entered_ = target;
    left_ += left ? 1 : 0;
    entered_ += left ? 0 : 1;
  }

 private:
  Flips& flips_;
  EntityIndex* const left_begin_;
  EntityIndex* const entered_begin_;
  EntityIndex* left_;
  EntityIndex* entered_;
};

}  // namespace

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
  std::uint32_t largest = 0;
  around.dirty = 0;
  around.entities = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells_.neighbour(home, i);
    const Run& run = cell == kNone ? kNoRun : runs_[cell];
    around.runs[i] = &run;
    around.blocks[i] = arena_.blocks.data() + run.first;
    around.entities += run.count;
    around.dirty |= cell == kNone ? 0u : std::uint32_t{dirty_[cell]} << i;
    largest |= run.capacity;
  }
  around.single = largest <= 1;
  if (!arena_.heights.empty()) {
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      around.heights[i] = arena_.heights.data() + around.runs[i]->first;
    }
  }
  if (around.single) return;
  around.offsets[0] = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    around.offsets[i + 1] = around.offsets[i] + around.runs[i]->width();
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

template <class Cells>
std::uint64_t GridLayer<Cells>::cost_of(const Around& around, std::uint32_t mask) const {
  if (mask == kAllCells) return around.entities;
  std::uint64_t tests = 0;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    if ((mask >> i & 1) != 0) tests += around.runs[i]->count;
  }
  return tests;
}

// Watchers lie in memory as they came; the next ones are fetched while one home is looked from.
template <class Cells>
void GridLayer<Cells>::prefetch(CellIndex home) const {
  for (const std::uint32_t at : homes_[home]) __builtin_prefetch(&watchers_[at], 1);
  // Homes follow each other to the right: the other blocks have been there before.
  for (const std::size_t i : {2, 5, 8}) {
    const CellIndex cell = cells_.neighbour(home, i);
    if (cell != kNone) __builtin_prefetch(&arena_.blocks[runs_[cell].first]);
  }
}

template <class Cells>
void GridLayer<Cells>::touched(std::vector<Touched>& out) {
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
void GridLayer<Cells>::look(Flips& flips, const std::vector<std::uint8_t>* skip) {
  settle_orphans(flips);
  spread_dirt();
  looking_.clear();
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    std::uint64_t bits = touched_[word];
    touched_[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto home =
          static_cast<CellIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (home < homes_.size() && !homes_[home].empty()) looking_.push_back(home);
    }
  }
  for (std::size_t i = 0; i < looking_.size(); ++i) {
    if (i + 2 < looking_.size()) prefetch(looking_[i + 2]);
    look_from(looking_[i], flips, skip);
  }
  settle_dirt();
}

// An orphan whose place is within the nine cells again is in the row again. Any other is out of
// reach: it leaves now, also if its sensor would look later.
template <class Cells>
void GridLayer<Cells>::settle_orphans(Flips& flips) {
  if (orphans_.empty()) return;
  std::sort(orphans_.begin(), orphans_.end(), [](const Pair& a, const Pair& b) {
    return a.sensor != b.sensor ? a.sensor < b.sensor : a.target < b.target;
  });
  std::size_t i = 0;
  while (i < orphans_.size()) {
    const SensorIndex sensor = orphans_[i].sensor;
    Watcher& watcher = watchers_[served_[sensor].watcher()];
    const Watch& watch = scene_.watches[sensor];
    for (; i < orphans_.size() && orphans_[i].sensor == sensor; ++i) {
      const std::uint32_t bit = bit_of(watcher, orphans_[i].target);
      if (bit == kNone) {
        flips.leave(orphans_[i].target);
      } else {
        watcher.row.set(bit);
        mark_stale(watcher);
      }
    }
    flips.close(sensor, watch.managed, false);
  }
  orphans_.clear();
}

template <class Cells>
void GridLayer<Cells>::look_from(CellIndex home, Flips& flips,
                                 const std::vector<std::uint8_t>* skip) {
  Around around;
  gather(home, around);
  if (!around.single) lay_out(around);
  std::uint32_t waiting = 0;  // plain watchers whose nine blocks are scanned together
  for (const std::uint32_t at : homes_[home]) {
    Watcher& watcher = watchers_[at];
    const std::uint32_t mask = mask_of(watcher, around);
    if (mask == 0) continue;
    if (skip != nullptr && (*skip)[watcher.sensor] != 0) {
      mark_stale(watcher);
      continue;
    }
    watcher.stale = false;
    ++flips.looked;
    flips.pair_tests += cost_of(around, mask);
    if (around.single && watcher.plain) [[likely]] {
      batch_[waiting] = at;
      looks_[waiting] = look_of(watcher);
      if (++waiting == kBatch) scan_batch(around, std::exchange(waiting, 0), flips);
    } else {
      look_alone(watcher, around, mask, flips);
    }
  }
  if (waiting != 0) scan_batch(around, waiting, flips);
}

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
      for (unsigned bits = near[block] & row[block]; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(bits));
        add(arena_.entities[(run.first + block) * kBlockPlaces + lane]);
      }
    }
  }
}

// Each explicitly: the header keeps them from being made where they are used.
#define STARBUS_AOI_LOOK(Cells)                                                                   \
  template void GridLayer<Cells>::spread_dirt();                                                  \
  template void GridLayer<Cells>::settle_dirt();                                                  \
  template void GridLayer<Cells>::gather(CellIndex, Around&) const;                               \
  template std::uint32_t GridLayer<Cells>::mask_of(const Watcher&, const Around&) const;          \
  template std::uint64_t GridLayer<Cells>::cost_of(const Around&, std::uint32_t) const;           \
  template void GridLayer<Cells>::prefetch(CellIndex) const;                                      \
  template void GridLayer<Cells>::touched(std::vector<Touched>&);                                 \
  template void GridLayer<Cells>::look(Flips&, const std::vector<std::uint8_t>*);                 \
  template void GridLayer<Cells>::settle_orphans(Flips&);                                         \
  template void GridLayer<Cells>::look_from(CellIndex, Flips&, const std::vector<std::uint8_t>*); \
  template Look GridLayer<Cells>::look_of(const Watcher&) const;                                  \
  template std::uint64_t GridLayer<Cells>::others(const Watcher&) const;                          \
  template void GridLayer<Cells>::scan_batch(const Around&, std::uint32_t, Flips&);               \
  template void GridLayer<Cells>::look_alone(Watcher&, const Around&, std::uint32_t, Flips&);     \
  template bool GridLayer<Cells>::scan_single(const Watcher&, const Around&, const Look&,         \
                                              std::size_t, NineBytes&);                           \
  template bool GridLayer<Cells>::scan_runs(Watcher&, const Around&, const Look&, std::size_t,    \
                                            std::uint32_t);                                       \
  template void GridLayer<Cells>::lay_out(const Around&);                                         \
  template void GridLayer<Cells>::report(Watcher&, Flips&);                                       \
  template void GridLayer<Cells>::report_single(Watcher&, const Around&, const NineBytes&,        \
                                                Flips&);                                          \
  template void GridLayer<Cells>::in_range_within(SensorIndex, float, std::vector<Candidate>&)    \
      const;
STARBUS_AOI_LOOK(UniformCells)
STARBUS_AOI_LOOK(HashedCells)
#undef STARBUS_AOI_LOOK

}  // namespace starbus::aoi
