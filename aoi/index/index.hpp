/// A backend: geometry with a memory. For every sensor it keeps the set of entities that were in
/// range when that sensor was evaluated last, and finds what has changed. Limits, forced targets
/// and events belong to the world. Backends own their memory and read the world's Scene; a call
/// about a row comes after that row was written. One thread; fails only by running out of memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/arrays/function_ref.hpp"
#include "aoi/index/delta.hpp"
#include "aoi/index/pairs.hpp"
#include "aoi/region.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// A sensor that must be evaluated, and what that would cost in pair tests.
struct Dirty {
  SensorIndex sensor = kNone;
  std::uint64_t cost = 0;
};

/// An entity in range and how far it is.
struct Candidate {
  float distance_squared = 0;
  EntityIndex entity = kNone;
};

using EntityVisitor = FunctionRef<void(EntityIndex)>;

class Index {
 public:
  virtual ~Index() = default;

  virtual void reserve(std::size_t entities, std::size_t sensors) = 0;
  /// The entity is new: its spot and its flags are written.
  virtual void insert(EntityIndex entity) = 0;
  /// Its sensors were detached before. Appends the sensors that had it in range, in no order.
  virtual void erase(EntityIndex entity, std::vector<SensorIndex>& had) = 0;
  /// Erases all of them as erase() does; appends the pairs that were in range, in no order.
  virtual void erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had);
  /// Prefetches the data that erase() will touch, in three dependent steps: 0, 1 and 2. insert()
  /// needs the first of them.
  virtual void fetch(EntityIndex /*entity*/, int /*step*/) const {}
  virtual void move(EntityIndex entity) = 0;
  /// Finishes moves that wait for others. Comes before visit(); evaluate() does it by itself.
  virtual void settle() {}
  /// Its flags have changed.
  virtual void refilter(EntityIndex entity) = 0;

  /// The sensor is new: its watch is written. It has nothing in range until it is evaluated.
  virtual void attach(SensorIndex sensor) = 0;
  /// Appends the entities that it had in range, in no order.
  virtual void detach(SensorIndex sensor, std::vector<EntityIndex>& had) = 0;
  /// Its watch has changed; what it has in range stays until it is evaluated.
  virtual void rewatch(SensorIndex sensor) = 0;
  /// Called when a filter number is used again for another filter, or for the first time.
  virtual void refilter_all(FilterNumber number) = 0;
  /// Makes the target be in range as of the last evaluation. The sensor is evaluated in any case.
  virtual void adopt(SensorIndex sensor, EntityIndex target) = 0;

  /// Appends the sensors that evaluate() would evaluate now, in no order.
  virtual void dirty(std::vector<Dirty>& out) = 0;
  /// Evaluates every dirty sensor except those whose byte in `skip` is set; these stay dirty.
  /// `skip` is indexed by sensor; null: none is skipped.
  virtual void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) = 0;

  /// Whether the sensor had the target in range when it was evaluated last.
  virtual bool has(SensorIndex sensor, EntityIndex target) const = 0;
  /// Append, in no order.
  virtual void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const = 0;
  virtual void observers(EntityIndex target, std::vector<SensorIndex>& out) const = 0;
  /// Appends the entities in range whose squared distance is at most `limit`, in no order.
  virtual void in_range_within(SensorIndex sensor, float limit,
                               std::vector<Candidate>& out) const = 0;

  /// Calls `visitor` with every observable entity in the box, and perhaps others near it, each
  /// once.
  virtual void visit(const Box& box, EntityVisitor visitor) const = 0;
  /// Cells or nodes that visit() has gone through since the index was made.
  virtual std::uint64_t visited() const { return 0; }
  virtual std::uint64_t memory() const = 0;
};

/// `bounds` and `reach` are checked by the caller.
std::unique_ptr<Index> make_index(const WorldOptions& options, const Scene& scene);

}  // namespace starbus::aoi
