/// Of GridLayer: traces of those who have gone far. To take their bits out of the rows around would
/// touch as many lines of memory as sensors are there, while these look before long anyway.
/// Included by grid_layer.cpp alone.
#pragma once

#include <algorithm>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

template <class Cells>
void GridLayer<Cells>::leave_trace(EntityIndex entity, const Place& left) {
  arena_.vacate(left.place);
  mark_dirty(left.cell);  // all around look, and find it out
  traced_[entity] = 1;
  traces_.push_back({entity, left});
}

// Null: it has none.
template <class Cells>
auto GridLayer<Cells>::trace_of(EntityIndex entity) const -> const Trace* {
  if (traced_[entity] == 0) return nullptr;
  return &*std::find_if(traces_.begin(), traces_.end(),
                        [&](const Trace& trace) { return trace.entity == entity; });
}

template <class Cells>
auto GridLayer<Cells>::trace_at(std::uint32_t place) -> Trace& {
  return *std::find_if(traces_.begin(), traces_.end(),
                       [&](const Trace& trace) { return trace.left.place == place; });
}

template <class Cells>
bool GridLayer<Cells>::has_traces(CellIndex cell) const {
  const auto first = arena_.vacated.begin() + static_cast<std::ptrdiff_t>(runs_[cell].first);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(runs_[cell].used),
                     [](std::uint8_t bits) { return bits != 0; });
}

// What the trace stands for goes where its entity is now. It is not in the list any more.
template <class Cells>
void GridLayer<Cells>::follow(const Trace& trace) {
  traced_[trace.entity] = 0;
  move_bits(trace.entity, trace.left, places_[trace.entity]);
  free_place(trace.left.cell, trace.left.place);
  close_if_empty(trace.left.cell);
}

// It goes on, and so perhaps back; or it ends.
template <class Cells>
void GridLayer<Cells>::follow_trace_of(EntityIndex entity) {
  const Trace* const found = trace_of(entity);
  if (found == nullptr) [[likely]]
    return;
  const Trace trace = *found;
  traces_[static_cast<std::size_t>(found - traces_.data())] = traces_.back();
  traces_.pop_back();
  follow(trace);
}

// Before some look and others do not.
template <class Cells>
void GridLayer<Cells>::follow_traces() {
  while (!traces_.empty()) {
    const Trace trace = traces_.back();
    traces_.pop_back();
    follow(trace);
  }
}

// All around have looked: no row has a bit of theirs.
template <class Cells>
void GridLayer<Cells>::end_traces() {
  constexpr std::size_t kAhead = 8;
  while (!traces_.empty()) {
    if (traces_.size() > kAhead) {
      const Place& later = traces_[traces_.size() - 1 - kAhead].left;
      prefetch_line_to_write(&arena_.blocks[later.place / kBlockPlaces]);
      prefetch_line_to_write(&arena_.entities[later.place]);
      prefetch_line_to_write(&runs_[later.cell]);
    }
    const Trace trace = traces_.back();
    traces_.pop_back();
    traced_[trace.entity] = 0;
    free_place(trace.left.cell, trace.left.place);
    close_if_empty(trace.left.cell);
  }
}

}  // namespace starbus::aoi
