#include "bus/core/origin/shared_bodies.hpp"

#include <cassert>

namespace starbus::bus {

SharedBodies::Place SharedBodies::add(ByteView head, ByteView body) {
  if (free_.empty()) {
    bodies_.emplace_back();
    free_.push_back(static_cast<Place>(bodies_.size()));
  }
  const Place place = free_.back();
  free_.pop_back();
  Body& added = at(place);
  added.bytes.assign(head.begin(), head.end());
  added.bytes.insert(added.bytes.end(), body.begin(), body.end());
  added.holders = 1;
  total_ += added.bytes.size();
  return place;
}

void SharedBodies::drop(Place place) {
  Body& body = at(place);
  assert(body.holders != 0);
  if (--body.holders != 0) return;
  total_ -= body.bytes.size();
  give_back(body.bytes);
  free_.push_back(place);
}

}  // namespace starbus::bus
