/// Traces of entities that have moved far. To take their bits out of the rows around the old place
/// would touch a line of memory per sensor there, while these sensors are evaluated before long
/// anyway. So the old place stays taken, in range of no sensor, until they are. Works on a
/// GridState, GridRows and GridPlaces that outlive it; one thread.
#pragma once

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_places.hpp"

namespace starbus::aoi {

template <class Cells>
class GridTraces {
 public:
  GridTraces(GridState<Cells>& state, GridRows<Cells>& rows, GridPlaces<Cells>& places)
      : s_(state), rows_(rows), places_(places) {}

  /// The entity has another place already.
  void leave_trace(EntityIndex entity, const GridPlace& left);
  /// Moves the bits of an entity's trace, or of all traces, as a short move would have.
  void follow_trace_of(EntityIndex entity);
  void follow_traces();
  /// Frees the places of all traces.
  void end_traces();

 private:
  void follow(const GridTrace& trace);

  GridState<Cells>& s_;
  GridRows<Cells>& rows_;
  GridPlaces<Cells>& places_;
};

template <class Cells>
void GridTraces<Cells>::leave_trace(EntityIndex entity, const GridPlace& left) {
  s_.arena.vacate(left.place);
  s_.mark_dirty(left.cell);  // all sensors around it are evaluated, and find that the entity left
  s_.traced[entity] = 1;
  s_.traces.push_back({entity, left});
}

// Moves the bits that the trace stands for to the present place of its entity. The trace is not in
// the list any more.
template <class Cells>
void GridTraces<Cells>::follow(const GridTrace& trace) {
  s_.traced[trace.entity] = 0;
  rows_.move_bits(trace.entity, trace.left, s_.places[trace.entity]);
  places_.free_place(trace.left.cell, trace.left.place);
  places_.close_if_empty(trace.left.cell);
}

// The entity moves on, perhaps back, or is removed.
template <class Cells>
void GridTraces<Cells>::follow_trace_of(EntityIndex entity) {
  const GridTrace* const found = s_.trace_of(entity);
  if (found == nullptr) [[likely]]
    return;
  const GridTrace trace = *found;
  s_.traces[static_cast<std::size_t>(found - s_.traces.data())] = s_.traces.back();
  s_.traces.pop_back();
  follow(trace);
}

// Comes before an update that skips some sensors.
template <class Cells>
void GridTraces<Cells>::follow_traces() {
  while (!s_.traces.empty()) {
    const GridTrace trace = s_.traces.back();
    s_.traces.pop_back();
    follow(trace);
  }
}

// All sensors around were evaluated, so no row has a bit of a trace.
template <class Cells>
void GridTraces<Cells>::end_traces() {
  constexpr std::size_t kAhead = 8;
  while (!s_.traces.empty()) {
    if (s_.traces.size() > kAhead) {
      const GridPlace& later = s_.traces[s_.traces.size() - 1 - kAhead].left;
      prefetch_line_to_write(&s_.arena.blocks[later.place / kBlockPlaces]);
      prefetch_line_to_write(&s_.arena.entities[later.place]);
      prefetch_line_to_write(&s_.runs[later.cell]);
    }
    const GridTrace trace = s_.traces.back();
    s_.traces.pop_back();
    s_.traced[trace.entity] = 0;
    places_.free_place(trace.left.cell, trace.left.place);
    places_.close_if_empty(trace.left.cell);
  }
}

}  // namespace starbus::aoi
