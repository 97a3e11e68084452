#include "aoi/world/deferred.hpp"

#include <algorithm>
#include <cassert>
#include <new>

namespace starbus::aoi {

void Deferred::begin() {
  assert(!active_ && operations_.empty());
  active_ = true;
}

void Deferred::finish() noexcept {
  active_ = false;
  for (const auto& operation : operations_) {
    try {
      if (!operation()) ++refused_;
    } catch (const std::bad_alloc&) {  // no reason to end the process for
      ++refused_;
    }
  }
  operations_.clear();
  sensors_.clear();
  hidden_.clear();
}

const Deferred::Sensor* Deferred::sensor(SensorId id) const {
  const auto at = std::ranges::find(sensors_, id, &Sensor::id);
  return at == sensors_.end() ? nullptr : &*at;
}

bool Deferred::is_hidden(EntityId entity) const {
  return std::ranges::find(hidden_, entity) != hidden_.end();
}

}  // namespace starbus::aoi
