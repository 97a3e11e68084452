/// The grids: layers of cells, each with cells twice as large as the layer below. A sensor is
/// served by the lowest layer whose reach covers it; all observable entities are in every layer
/// that exists. Layers above the first are made when a sensor needs them, and dropped when none has
/// for some updates. Owns its layers; one thread.
#pragma once

#include <array>

#include "aoi/index/layer.hpp"

namespace starbus::aoi {

class GridIndex final : public Index {
 public:
  /// Makes the layer of this number and reach.
  using LayerMaker = std::function<std::unique_ptr<Layer>(
      const Scene& scene, std::vector<Served>& served, std::uint32_t number, float reach)>;

  GridIndex(const Scene& scene, float reach, LayerMaker maker);

  void reserve(std::size_t entities, std::size_t sensors) override;
  void insert(EntityIndex entity) override;
  void erase(EntityIndex entity, std::vector<SensorIndex>& had) override;
  void erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had) override;
  void fetch(EntityIndex entity, int step) const override;
  void move(EntityIndex entity) override;
  void settle() override;
  void refilter(EntityIndex entity) override;
  void refilter_all(FilterNumber number) override;
  void attach(SensorIndex sensor) override;
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had) override;
  void rewatch(SensorIndex sensor) override;
  void adopt(SensorIndex sensor, EntityIndex target) override;
  void dirty(std::vector<Dirty>& out) override;
  void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) override;
  bool has(SensorIndex sensor, EntityIndex target) const override;
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const override;
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const override;
  void in_range_within(SensorIndex sensor, float limit, std::vector<Candidate>& out) const override;
  void visit(const Box& box, EntityVisitor visitor) const override;
  std::uint64_t visited() const override { return layers_[0]->visited(); }
  std::uint64_t memory() const override;

 private:
  static constexpr std::uint32_t kIdle = 32;  ///< updates that a layer without sensors is kept
  std::uint32_t layer_for(float reach);
  void drop_idle();
  Layer& layer_of(SensorIndex sensor) const { return *layers_[served_[sensor].layer()]; }

  const Scene& scene_;
  const float reach_;
  const LayerMaker maker_;
  std::vector<Served> served_;
  Buffer<Pair> erased_;                                        ///< scratch of erase()
  std::array<std::unique_ptr<Layer>, kMaxLayers + 1> layers_;  ///< null: not needed so far
  std::array<std::uint32_t, kMaxLayers + 1> sensors_ = {};     ///< by layer
  std::array<std::uint32_t, kMaxLayers + 1> idle_ = {};        ///< updates without sensors
  std::uint32_t used_ = 1;                                     ///< one more than the highest
};

}  // namespace starbus::aoi
