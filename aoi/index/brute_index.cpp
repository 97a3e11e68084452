#include "aoi/index/brute_index.hpp"

#include <algorithm>

namespace starbus::aoi {

bool BruteIndex::accepts(const Watch& watch, EntityIndex target, bool was) const {
  if (target == watch.owner || scene_.spots[target].id == 0 || scene_.observable[target] == 0) {
    return false;
  }
  return scene_.in_range(watch, target, was);
}

void BruteIndex::erase(EntityIndex entity, std::vector<SensorIndex>& had) {
  for (SensorIndex sensor = 0; sensor < rows_.size(); ++sensor) {
    auto& list = rows_[sensor].in_range;
    const auto at = std::lower_bound(list.begin(), list.end(), entity);
    if (at == list.end() || *at != entity) continue;
    list.erase(at);
    had.push_back(sensor);
  }
}

void BruteIndex::attach(SensorIndex sensor) {
  if (rows_.size() <= sensor) rows_.resize(sensor + 1u);
  rows_[sensor].attached = true;
}

void BruteIndex::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  had.insert(had.end(), rows_[sensor].in_range.begin(), rows_[sensor].in_range.end());
  rows_[sensor] = {};
}

void BruteIndex::adopt(SensorIndex sensor, EntityIndex target) {
  auto& list = rows_[sensor].in_range;
  const auto at = std::lower_bound(list.begin(), list.end(), target);
  if (at == list.end() || *at != target) list.insert(at, target);
}

void BruteIndex::dirty(std::vector<Dirty>& out) {
  for (SensorIndex sensor = 0; sensor < rows_.size(); ++sensor) {
    if (rows_[sensor].attached) out.push_back({sensor, scene_.spots.size()});
  }
}

void BruteIndex::evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) {
  std::vector<EntityIndex> now;
  for (SensorIndex sensor = 0; sensor < rows_.size(); ++sensor) {
    if (!rows_[sensor].attached || (skip != nullptr && (*skip)[sensor] != 0)) continue;
    const Watch& watch = scene_.watches[sensor];
    auto& old = rows_[sensor].in_range;
    now.clear();
    auto was = old.begin();
    for (EntityIndex target = 0; target < scene_.spots.size(); ++target) {
      const bool had = was != old.end() && *was == target;
      if (had) ++was;
      const bool has = accepts(watch, target, had);
      if (has) now.push_back(target);
      if (had && !has) delta.leave(target);
      if (has && !had) delta.enter(target);
    }
    delta.pair_tests += scene_.spots.size();
    ++delta.evaluated;
    delta.close(sensor, scene_);
    old = now;
  }
}

bool BruteIndex::has(SensorIndex sensor, EntityIndex target) const {
  const auto& list = rows_[sensor].in_range;
  return std::binary_search(list.begin(), list.end(), target);
}

void BruteIndex::in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const {
  out.insert(out.end(), rows_[sensor].in_range.begin(), rows_[sensor].in_range.end());
}

void BruteIndex::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  for (SensorIndex sensor = 0; sensor < rows_.size(); ++sensor) {
    if (has(sensor, target)) out.push_back(sensor);
  }
}

void BruteIndex::in_range_within(SensorIndex sensor, float limit,
                                 std::vector<Candidate>& out) const {
  const Position& from = scene_.spots[scene_.watches[sensor].owner].at;
  for (const EntityIndex target : rows_[sensor].in_range) {
    const Position& at = scene_.spots[target].at;
    const float squared = distance_squared(at.x - from.x, at.y - from.y);
    if (squared <= limit) out.push_back({squared, target});
  }
}

void BruteIndex::visit(const Box&, EntityVisitor visitor) const {
  for (EntityIndex entity = 0; entity < scene_.spots.size(); ++entity) {
    if (scene_.spots[entity].id != 0 && scene_.observable[entity] != 0) visitor(entity);
  }
}

std::uint64_t BruteIndex::memory() const {
  std::uint64_t bytes = rows_.capacity() * sizeof(Row);
  for (const Row& row : rows_) bytes += row.in_range.capacity() * sizeof(EntityIndex);
  return bytes;
}

}  // namespace starbus::aoi
