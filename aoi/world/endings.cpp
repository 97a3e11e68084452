#include "aoi/world/endings.hpp"

#include <algorithm>

namespace starbus::aoi {

void Endings::end(SensorIndex sensor, EntityId observer, std::span<const EntityIndex> saw) {
  const std::size_t begin = saw_.size();
  std::copy(saw.begin(), saw.end(), saw_.room(saw.size()));
  saw_.add(saw.size());
  gone_.push_back({sensor, observer, begin, saw_.size()});
}

void Endings::sort(std::vector<std::uint64_t>& telling) {
  group_by_sensor(lost_, scratch_);
  std::sort(gone_.begin(), gone_.end(),
            [](const Gone& a, const Gone& b) { return a.sensor < b.sensor; });
  const auto tell = [&](SensorIndex sensor) {
    telling[sensor / 64] |= std::uint64_t{1} << sensor % 64;
  };
  for (const Pair& pair : lost_) tell(pair.sensor);
  for (const Gone& gone : gone_) tell(gone.sensor);
}

Endings::Row Endings::take(SensorIndex sensor) {
  Row row;
  const std::size_t first = next_lost_;
  while (next_lost_ < lost_.size() && lost_[next_lost_].sensor == sensor) ++next_lost_;
  row.lost = std::span(lost_).subspan(first, next_lost_ - first);
  if (next_gone_ < gone_.size() && gone_[next_gone_].sensor == sensor) {
    const Gone& gone = gone_[next_gone_++];
    row.observer = gone.observer;
    row.saw = saw_.between(gone.begin, gone.end);
  }
  return row;
}

void Endings::start() {
  lost_.clear();
  gone_.clear();
  saw_.start();
  next_lost_ = 0;
  next_gone_ = 0;
}

std::uint64_t Endings::memory() const {
  return (lost_.capacity() + scratch_.capacity()) * sizeof(Pair) + gone_.capacity() * sizeof(Gone) +
         saw_.memory();
}

}  // namespace starbus::aoi
