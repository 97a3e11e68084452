#include "aoi/world/epochs.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/limits.hpp"

namespace starbus::aoi {

void Epochs::raise(EntityIndex owner, std::uint32_t last) {
  assert(last <= kMaxEpoch);
  std::uint32_t& epoch = last_[owner];
  epoch = std::max(epoch, last);
}

bool Epochs::can_begin(EntityIndex owner) const {
  const auto at = last_.find(owner);
  return at == last_.end() || at->second < kMaxEpoch;
}

void Epochs::begin(EntityIndex owner, SensorId sensor) {
  assert(can_begin(owner));
  numberings_[sensor.value] = ++last_[owner];
}

void Epochs::advance() {
  for (const std::uint32_t sensor : reported_) numberings_.erase(sensor);
  reported_.clear();
  reported_.swap(ended_);
}

std::uint32_t Epochs::of(SensorId sensor) const {
  const auto at = numberings_.find(sensor.value);
  return at == numberings_.end() ? 0 : at->second;
}

}  // namespace starbus::aoi
