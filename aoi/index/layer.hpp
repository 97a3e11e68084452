/// One layer of a grid, whatever kind of cells it has, and the table of which layer serves which
/// sensor. Calls and failures are those of an Index (index.hpp). The GridIndex owns its layers. One
/// thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/index/index.hpp"
#include "aoi/index/pairs.hpp"
#include "aoi/limits.hpp"

namespace starbus::aoi {

class Layer {
 public:
  virtual ~Layer() = default;
  virtual void reserve(std::size_t entities, std::size_t sensors) = 0;
  /// As in Index, for the sensors of this layer.
  virtual void insert(EntityIndex entity) = 0;
  virtual void erase(std::span<const EntityIndex> entities, Buffer<Pair>& had) = 0;
  virtual void fetch(EntityIndex entity, int step) const = 0;
  virtual void move(EntityIndex entity) = 0;
  virtual void settle() = 0;
  virtual void refilter(EntityIndex entity) = 0;
  virtual void refilter_all(FilterNumber number) = 0;
  virtual void attach(SensorIndex sensor) = 0;
  virtual void detach(SensorIndex sensor, std::vector<EntityIndex>& had) = 0;
  virtual void rewatch(SensorIndex sensor) = 0;
  virtual void adopt(SensorIndex sensor, EntityIndex target) = 0;
  virtual void dirty(std::vector<Dirty>& out) = 0;
  virtual void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) = 0;
  virtual bool has(SensorIndex sensor, EntityIndex target) const = 0;
  virtual void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const = 0;
  virtual void observers(EntityIndex target, std::vector<SensorIndex>& out) const = 0;
  virtual void in_range_within(SensorIndex sensor, float limit,
                               std::vector<Candidate>& out) const = 0;
  virtual void visit(const Box& box, EntityVisitor visitor) const = 0;
  virtual std::uint64_t visited() const = 0;
  virtual std::uint64_t memory() const = 0;
};

/// Which watcher of which layer serves a sensor. A grid keeps one per sensor for all its layers.
class Served {
 public:
  Served() = default;
  Served(std::uint32_t layer, std::uint32_t watcher) : packed_(layer << kWatcherBits | watcher) {}
  std::uint32_t layer() const { return packed_ >> kWatcherBits; }
  std::uint32_t watcher() const { return packed_ & ((1u << kWatcherBits) - 1); }

 private:
  static constexpr std::uint32_t kWatcherBits = 21;  ///< a layer has kMaxSensors watchers at most
  static_assert(kMaxSensors < (1u << kWatcherBits) && kMaxLayers < (1u << (32 - kWatcherBits)) - 1);
  std::uint32_t packed_ = kNone;
};

}  // namespace starbus::aoi
