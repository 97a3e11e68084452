#include "aoi/index/cells.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace starbus::aoi {
namespace {

// More slack means fewer changes of home, but larger cells and so more candidates. With a reach of
// 30 m, a slack of 3 m makes random walkers change cells four times less often.
constexpr double kCellSlackShare = 0.1;
// More than the rounding of float coordinates up to kMaxCoordinate, and of the measure, can add.
constexpr double kRounding = 0.3;
constexpr double kMinCellReach = 1;  // m; smaller cells would be about as small as that rounding

// The factors are from Ericson, Real-Time Collision Detection (2005), section 7.1.3.
constexpr std::uint32_t kFactorX = 0x8da6b343;
constexpr std::uint32_t kFactorY = 0xd8163841;
constexpr std::size_t kFirstSlots = 64;

double edge_of(float reach) {
  const double usual = std::max(double{reach}, kMinCellReach);
  return usual * (1 + 2 * kCellSlackShare) * (1 + 1e-5) + 2 * kRounding;
}

std::int32_t clamped(double at, std::int32_t size) {
  return static_cast<std::int32_t>(std::clamp(std::floor(at), 0.0, double(size - 1)));
}

}  // namespace

CellScale::CellScale(double origin_x, double origin_y, float reach)
    : origin_x_(origin_x),
      origin_y_(origin_y),
      edge_(edge_of(reach)),
      inverse_(1 / edge_),
      slack_(kCellSlackShare * std::max(double{reach}, kMinCellReach) / edge_) {}

double UniformCells::count(const Box& bounds, float reach) {
  const double edge = edge_of(reach);
  return (std::floor((double{bounds.max.x} - bounds.min.x) / edge) + 3) *
         (std::floor((double{bounds.max.y} - bounds.min.y) / edge) + 3);
}

UniformCells::UniformCells(const Box& bounds, float reach)
    : scale_(bounds.min.x, bounds.min.y, reach),
      columns_(static_cast<std::int32_t>((double{bounds.max.x} - bounds.min.x) / scale_.edge()) +
               1),
      rows_(static_cast<std::int32_t>((double{bounds.max.y} - bounds.min.y) / scale_.edge()) + 1),
      stride_(static_cast<std::uint32_t>(columns_) + 2),
      size_(std::size_t{stride_} * (static_cast<std::size_t>(rows_) + 2)) {
  for (std::uint32_t i = 0; i < kNeighbours; ++i) {
    offsets_[i] = (i / 3 - 1) * stride_ + (i % 3 - 1);  // wraps around for cells with lower numbers
  }
}

CellAt UniformCells::locate(const Position& at) const {
  return {clamped(scale_.x(at), columns_), clamped(scale_.y(at), rows_)};
}

HashedCells::HashedCells(float reach) : scale_(0, 0, reach), table_(kFirstSlots, kNone) {}

CellAt HashedCells::locate(const Position& at) const {
  return {static_cast<std::int32_t>(std::floor(scale_.x(at))),
          static_cast<std::int32_t>(std::floor(scale_.y(at)))};
}

std::size_t HashedCells::slot_of(const CellAt& at, std::size_t slots) {
  std::uint32_t hash =
      kFactorX * static_cast<std::uint32_t>(at.x) + kFactorY * static_cast<std::uint32_t>(at.y);
  hash ^= hash >> 16;  // the low bits of a sum of products are weak
  return hash & (slots - 1);
}

CellIndex HashedCells::find(const CellAt& at) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = slot_of(at, table_.size());; i = (i + 1) & mask) {
    const CellIndex cell = table_[i];
    if (cell == kNone || cells_[cell].at == at) return cell;
  }
}

CellIndex HashedCells::open(const CellAt& at) {
  if (const CellIndex known = find(at); known != kNone) return known;
  if ((open_count_ + 1) * 2 > table_.size()) rehash(table_.size() * 2);
  CellIndex cell = static_cast<CellIndex>(cells_.size());
  if (free_.empty()) {
    cells_.emplace_back();
  } else {
    cell = free_.back();
    free_.pop_back();
  }
  cells_[cell].at = at;
  cells_[cell].open = true;
  link(cell, true);
  const std::size_t mask = table_.size() - 1;
  std::size_t i = slot_of(at, table_.size());
  while (table_[i] != kNone) i = (i + 1) & mask;
  table_[i] = cell;
  ++open_count_;
  return cell;
}

void HashedCells::close(CellIndex cell) {
  assert(cells_[cell].open);
  link(cell, false);
  cells_[cell].open = false;
  free_.push_back(cell);
  --open_count_;
  // Entries after the freed slot move up as far as their own first slots allow, so that there are
  // no tombstones.
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = slot_of(cells_[cell].at, table_.size());
  while (table_[hole] != cell) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; table_[i] != kNone; i = (i + 1) & mask) {
    const std::size_t wanted = slot_of(cells_[table_[i]].at, table_.size());
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole] = kNone;
}

void HashedCells::rehash(std::size_t slots) {
  std::vector<CellIndex> old(slots, kNone);
  old.swap(table_);
  for (const CellIndex cell : old) {
    if (cell == kNone) continue;
    std::size_t i = slot_of(cells_[cell].at, slots);
    while (table_[i] != kNone) i = (i + 1) & (slots - 1);
    table_[i] = cell;
  }
}

void HashedCells::link(CellIndex cell, bool on) {
  const CellAt at = cells_[cell].at;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellAt there = {at.x + static_cast<std::int32_t>(i % 3) - 1,
                          at.y + static_cast<std::int32_t>(i / 3) - 1};
    const CellIndex other = i == kNeighbours / 2 ? cell : find(there);
    cells_[cell].around[i] = on ? other : kNone;
    if (other != kNone) cells_[other].around[kNeighbours - 1 - i] = on ? cell : kNone;
  }
}

std::uint64_t HashedCells::memory() const {
  return cells_.capacity() * sizeof(Cell) +
         (free_.capacity() + table_.capacity()) * sizeof(CellIndex);
}

}  // namespace starbus::aoi
