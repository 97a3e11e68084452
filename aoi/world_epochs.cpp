// Which numbering of its observer's client a sensor is, among all that the client has had.
#include <algorithm>

#include "aoi/replay/recording.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

Result<> World::Impl::set_epoch(EntityId id, std::uint32_t last) {
  if (!entity_ids_.valid(id.value)) return Errc::unknown_entity;
  if (last > kMaxEpoch) return Error(Errc::bad_option, "kMaxEpoch");
  if (recorder != nullptr) recorder->set_epoch(id, last);
  // Now, also for handlers: no set and no event shows it.
  std::uint32_t& epoch = epochs_[id.index()];
  epoch = std::max(epoch, last);
  return {};
}

std::uint32_t World::Impl::epoch(SensorId id) const {
  const auto at = numberings_.find(id.value);
  return at == numberings_.end() ? 0 : at->second;
}

bool World::Impl::may_number(EntityIndex owner) const {
  const auto at = epochs_.find(owner);
  return at == epochs_.end() || at->second < kMaxEpoch;
}

void World::Impl::begin_numbering(EntityIndex owner, SensorId sensor) {
  numberings_[sensor.value] = ++epochs_[owner];
}

// Those that ended before the last update were told of with it.
void World::Impl::forget_numberings() {
  for (const std::uint32_t sensor : told_numberings_) numberings_.erase(sensor);
  told_numberings_.clear();
  told_numberings_.swap(ended_numberings_);
}

Result<> World::set_epoch(EntityId entity, std::uint32_t last) {
  return settled().set_epoch(entity, last);
}
std::uint32_t World::epoch(SensorId sensor) const {
  return settled().epoch(sensor);
}

}  // namespace starbus::aoi
