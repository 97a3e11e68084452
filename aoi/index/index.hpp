/// What a backend is: geometry with a memory. It keeps, for every sensor, the set of entities in
/// range as it was when that sensor last looked, and finds what has changed. Limits, forced targets
/// and events are the world's. Backends own their memory and read the world's Scene; a call about a
/// row comes after that row was written. One thread; nothing fails but by running out of memory.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "aoi/arrays/buffer.hpp"
#include "aoi/index/delta.hpp"
#include "aoi/index/pairs.hpp"
#include "aoi/region.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

/// A sensor that has something to look at, and what that would cost in pair tests.
struct Dirty {
  SensorIndex sensor = kNone;
  std::uint64_t cost = 0;
};

/// An entity in range and how far it is.
struct Candidate {
  float distance_squared = 0;
  EntityIndex entity = kNone;
};

class Index {
 public:
  virtual ~Index() = default;

  virtual void reserve(std::size_t entities, std::size_t sensors) = 0;
  virtual void insert(EntityIndex entity) = 0;
  /// Its sensors were detached before. Appends who had it in range, in no order.
  virtual void erase(EntityIndex entity, std::vector<SensorIndex>& had) = 0;
  /// All of them, as erase() one by one; appends who had whom in range, in no order.
  virtual void erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had);
  /// It will be erased, with its sensors: fetches what that needs, in steps 0, 1 and 2, each of
  /// which uses what the one before has fetched. What is inserted needs the first of them.
  virtual void fetch(EntityIndex /*entity*/, int /*step*/) const {}
  virtual void move(EntityIndex entity) = 0;
  /// Moves that wait for others are done: before visit(); whoever looks does so by itself.
  virtual void settle() {}
  /// Its flags have changed.
  virtual void refilter(EntityIndex entity) = 0;

  virtual void attach(SensorIndex sensor) = 0;
  /// Appends what it had in range, in no order.
  virtual void detach(SensorIndex sensor, std::vector<EntityIndex>& had) = 0;
  /// Its watch has changed; what it has in range stays until it looks.
  virtual void rewatch(SensorIndex sensor) = 0;
  /// A number of the filter table that was free means something now.
  virtual void refilter_all(FilterNumber number) = 0;
  /// As if it had been in range at the sensor's last look. It looks again in any case.
  virtual void adopt(SensorIndex sensor, EntityIndex target) = 0;

  /// Who would look now, in no order.
  virtual void dirty(std::vector<Dirty>& out) = 0;
  /// Everybody looks who has something to look at, but those whose byte in `skip` (if any; indexed
  /// by sensor) is set; these stay touched.
  virtual void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) = 0;

  virtual bool has(SensorIndex sensor, EntityIndex target) const = 0;
  /// Append; in no order.
  virtual void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const = 0;
  virtual void observers(EntityIndex target, std::vector<SensorIndex>& out) const = 0;
  /// Of those in range, the ones whose squared distance is at most `limit`; in no order.
  virtual void in_range_within(SensorIndex sensor, float limit,
                               std::vector<Candidate>& out) const = 0;

  /// Every observable entity in the box, and perhaps others near it, each once.
  virtual void visit(const Box& box, const std::function<void(EntityIndex)>& visitor) const = 0;
  /// Cells or nodes through which visit() has gone since the index was made.
  virtual std::uint64_t visited() const { return 0; }
  virtual std::uint64_t memory() const = 0;
};

/// `bounds` and `reach` were checked.
std::unique_ptr<Index> make_index(const WorldOptions& options, const Scene& scene);

}  // namespace starbus::aoi
