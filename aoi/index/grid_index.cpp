#include "aoi/index/grid_index.hpp"

#include <cassert>

namespace starbus::aoi {

GridIndex::GridIndex(const Scene& scene, float reach, LayerMaker maker)
    : scene_(scene), reach_(reach), maker_(std::move(maker)) {
  layers_[0] = maker_(scene_, served_, 0, reach_);
}

std::uint32_t GridIndex::layer_for(float reach) {
  std::uint32_t number = 0;
  float covered = reach_;
  for (; covered < reach; covered *= 2) ++number;
  assert(number < layers_.size());  // kMaxRadius is at most 2^kMaxLayers times the smallest reach
  if (layers_[number] == nullptr) {
    layers_[number] = maker_(scene_, served_, number, covered);
    idle_[number] = 0;
    used_ = std::max(used_, number + 1);
    for (EntityIndex entity = 0; entity < scene_.spots.size(); ++entity) {
      if (scene_.spots[entity].id != 0) layers_[number]->insert(entity);
    }
  }
  return number;
}

void GridIndex::reserve(std::size_t entities, std::size_t sensors) {
  served_.reserve(sensors + 1);
  layers_[0]->reserve(entities, sensors);
}

void GridIndex::insert(EntityIndex entity) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->insert(entity);
  }
}

void GridIndex::erase(EntityIndex entity, std::vector<SensorIndex>& had) {
  erased_.start();
  erase_all(std::span(&entity, 1), erased_);
  for (const Pair& pair : erased_.all()) had.push_back(pair.sensor);
}

void GridIndex::erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->erase(entities, had);
  }
}

void GridIndex::fetch(EntityIndex entity, int step) const {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->fetch(entity, step);
  }
}

void GridIndex::move(EntityIndex entity) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->move(entity);
  }
}

void GridIndex::settle() {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->settle();
  }
}

void GridIndex::refilter(EntityIndex entity) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->refilter(entity);
  }
}

void GridIndex::refilter_all(FilterNumber number) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->refilter_all(number);
  }
}

void GridIndex::attach(SensorIndex sensor) {
  if (served_.size() <= sensor) served_.resize(sensor + 1u);
  const std::uint32_t number = layer_for(scene_.watches[sensor].reach());
  layers_[number]->attach(sensor);
  ++sensors_[number];
}

// Every entity is kept in each layer, so one that nobody needs any more costs all of them.
void GridIndex::drop_idle() {
  for (std::uint32_t i = 1; i < used_; ++i) {
    if (layers_[i] == nullptr) continue;
    idle_[i] = sensors_[i] == 0 ? idle_[i] + 1 : 0;
    if (idle_[i] >= kIdle) layers_[i].reset();
  }
  while (used_ > 1 && layers_[used_ - 1] == nullptr) --used_;
}

void GridIndex::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  --sensors_[served_[sensor].layer()];
  layer_of(sensor).detach(sensor, had);
}

// Another reach may need another layer; what is in range is carried over.
void GridIndex::rewatch(SensorIndex sensor) {
  const std::uint32_t number = layer_for(scene_.watches[sensor].reach());
  if (number == served_[sensor].layer()) {
    layer_of(sensor).rewatch(sensor);
    return;
  }
  std::vector<EntityIndex> had;
  detach(sensor, had);
  layers_[number]->attach(sensor);
  ++sensors_[number];
  for (const EntityIndex target : had) layers_[number]->adopt(sensor, target);
}

void GridIndex::adopt(SensorIndex sensor, EntityIndex target) {
  layer_of(sensor).adopt(sensor, target);
}

void GridIndex::dirty(std::vector<Dirty>& out) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->dirty(out);
  }
}

void GridIndex::evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) {
  drop_idle();
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->evaluate(delta, skip);
  }
}

bool GridIndex::has(SensorIndex sensor, EntityIndex target) const {
  return layer_of(sensor).has(sensor, target);
}

void GridIndex::in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const {
  layer_of(sensor).in_range(sensor, out);
}

void GridIndex::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) layers_[i]->observers(target, out);
  }
}

void GridIndex::in_range_within(SensorIndex sensor, float limit,
                                std::vector<Candidate>& out) const {
  layer_of(sensor).in_range_within(sensor, limit, out);
}

void GridIndex::visit(const Box& box, EntityVisitor visitor) const {
  layers_[0]->visit(box, visitor);
}

std::uint64_t GridIndex::memory() const {
  std::uint64_t bytes = served_.capacity() * sizeof(Served);
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (layers_[i]) bytes += layers_[i]->memory();
  }
  return bytes;
}

}  // namespace starbus::aoi
