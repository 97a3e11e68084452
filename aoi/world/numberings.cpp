#include "aoi/world/numberings.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::aoi {
namespace {

template <class T>
T& at_index(std::vector<T>& table, std::size_t index, std::size_t expected) {
  if (table.empty()) table.reserve(expected + 1);
  if (table.size() <= index) table.resize(index + 1);
  return table[index];
}

}  // namespace

void Numberings::expect(std::size_t entities, std::size_t sensors) {
  entities_ = entities;
  sensors_ = sensors;
}

void Numberings::raise(EntityIndex owner, std::uint32_t last) {
  assert(last <= kMaxEpoch);
  std::uint32_t& epoch = at_index(last_, owner, entities_);
  epoch = std::max(epoch, last);
}

void Numberings::begin(EntityIndex owner, SensorId sensor) {
  assert(can_begin(owner));
  Numbering& numbering = at_index(all_, sensor.index(), sensors_);
  const std::uint32_t group = numbering.sensor == sensor.value ? numbering.group : 0;
  numbering = {};
  numbering.sensor = sensor.value;
  numbering.group = group;
  numbering.epoch = ++at_index(last_, owner, entities_);
}

void Numberings::advance() {
  for (const SensorId sensor : reported_) all_[sensor.index()] = {};
  reported_.clear();
  reported_.swap(ended_);
}

std::uint32_t Numberings::epoch(SensorId sensor) const {
  const Numbering* const numbering = find(sensor.index());
  return numbering != nullptr && numbering->sensor == sensor.value ? numbering->epoch : 0;
}

std::uint32_t Numberings::group(SensorId sensor) const {
  return epoch(sensor) != 0 ? all_[sensor.index()].group : 0;
}

void Numberings::set_group(SensorId sensor, std::uint32_t group) {
  if (epoch(sensor) != 0) all_[sensor.index()].group = group;
}

std::uint64_t Numberings::memory() const {
  std::uint64_t bytes = all_.capacity() * sizeof(Numbering) +
                        last_.capacity() * sizeof(std::uint32_t) +
                        (ended_.capacity() + reported_.capacity()) * sizeof(SensorId);
  for (const Numbering& numbering : all_) bytes += numbering.memory();
  return bytes;
}

}  // namespace starbus::aoi
