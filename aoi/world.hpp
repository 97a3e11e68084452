/// Area of interest: who sees whom. Read this header first; docs/guide/aoi.md explains, with
/// figures.
///
/// A `World` holds entities (points) and sensors (radii, attached to entities: sight, aggro,
/// traps). Once per tick `update` reports what entered and left each sensor.
///
///   auto world = *World::create({.bounds = {{0, 0}, {2000, 2000}}, .reach = 30});
///   EntityId wolf = *world.add({.position = {10, 20}});
///   SensorId sight = *world.add_sensor(wolf, {.radius = 30});
///   world.move(wolf, {11, 20});
///   world.update([](const Event& event) { ... });
///
/// **Events.** Net: a target that enters and leaves between two updates is not reported. All leaves
/// come before all enters; both in the order of (sensor, target) indices, whatever the backend
/// (with a period or a budget: see Budget). Every enter is followed by exactly one leave before the
/// next enter of that pair; an entity does not see itself.
/// **Sets.** sees() and observers() answer at any time, in both directions, with what events have
/// reported; removed entities are gone from them at once.
/// **Positions.** Regions and nearest() use present positions, not those of the last update.
/// **Re-entrancy.** Handlers may call everything but update. Calls that change the world are
/// checked at once, take effect when the last handler has returned, and show in the sets after the
/// next update.
/// **Determinism.** The same calls give the same events in the same order on every machine, with
/// and without SIMD. (Budget::microseconds alone breaks that, as it says.)
/// **Failures** are values; a call that fails changes nothing. Positions that are not a number are
/// refused; a coordinate beyond kMaxCoordinate is clamped; outside `bounds` all works as inside.
/// **Threads.** A world belongs to the thread that created it, or that has moved it into a new
/// World since; a call from another thread aborts the process. Several worlds are independent.
/// **Memory.** The world owns all of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aoi/error.hpp"
#include "aoi/event_log.hpp"
#include "aoi/limits.hpp"
#include "aoi/options.hpp"
#include "aoi/region.hpp"
#include "aoi/types.hpp"
#include "base/loop_thread.hpp"

namespace starbus::aoi {

class Recorder;
struct ObserverState;

/// The figures of one update.
struct UpdateReport {
  std::uint64_t update = 0;      ///< its number, from 1
  std::uint64_t pair_tests = 0;  ///< candidates whose distance was tested
  /// Cells or list nodes visited on the way to the candidates: each home cell with a sensor to
  /// evaluate, together with those around it, counts one. Brute force visits none.
  std::uint64_t visited = 0;
  std::uint64_t events = 0;
  std::uint64_t limit_evictions = 0;  ///< leaves for the reason `limit`
  std::uint32_t looked = 0;           ///< sensors that were evaluated
  std::uint32_t put_off = 0;          ///< sensors that the budget left for later
  std::uint32_t overdue = 0;          ///< evaluated beyond the budget, because of max_staleness
  std::uint32_t staleness = 0;        ///< the most updates in a row that a sensor was put off
  /// Operations that handlers of the last update asked for and that failed.
  std::uint32_t refused = 0;
  std::uint32_t microseconds = 0;  ///< without handlers. NOT deterministic; nothing depends on it
};

/// Sums since the world was made, for metrics.
struct Statistics {
  std::uint64_t updates = 0;
  std::uint64_t pair_tests = 0;  ///< this and the next ones: as in UpdateReport
  std::uint64_t visited = 0;
  std::uint64_t events = 0;
  std::uint64_t limit_evictions = 0;
  std::uint64_t looked = 0;
  std::uint64_t put_off = 0;
  std::uint64_t refused = 0;
  std::uint64_t microseconds = 0;
  std::uint64_t queries = 0;        ///< of find() and nearest()
  std::uint64_t query_tests = 0;    ///< entities whose position they tested
  std::uint64_t query_visited = 0;  ///< cells or nodes through which they found them
};

/// One of the moves that `move` does at once.
struct Move {
  EntityId entity;
  Position to;
};

/// A target that a sensor sees from now on without an event; see World::adopt.
struct Adopted {
  EntityId entity;
  bool forced = false;
};

/// An entity that `nearest` has found, and its distance.
struct Neighbour {
  EntityId entity;
  float distance = 0;
};

/// For updates whose events are read from World::events.
struct NoHandler {
  void operator()(const Event&) const {}
};

class World {
 public:
  /// Called by updates; the event lives as long as the call.
  using Handler = std::function<void(const Event&)>;

  /// bad_option, too_large (bounds with more than kMaxCells cells).
  static Result<World> create(const WorldOptions& options);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// Entities. bad_position, bad_option, too_many, unknown_entity.
  Result<EntityId> add(const EntityOptions& options);
  /// Many at once; their ids are appended in order. Stops at the first error, with those before it
  /// added and in `ids`.
  Result<> add(std::span<const EntityOptions> all, std::vector<EntityId>& ids);
  /// Also its sensors. Observers get a leave, reason removed, with the next update; so do its own
  /// sensors for all that they saw.
  Result<> remove(EntityId entity);
  /// By value: numbers that the caller has just computed need not be read back from memory.
  Result<> move(EntityId entity, Position to);
  /// In order; stops at the first error, with those before it done.
  Result<> move(std::span<const Move> moves);
  Result<> set_flags(EntityId entity, std::uint64_t flags);
  Result<> set_weight(EntityId entity, float weight);

  /// Sensors. bad_option, too_large, too_many, unknown_entity, unknown_sensor. Events of a sensor
  /// with a handler of its own go to that handler and not to that of update. bad_option also: a
  /// second symmetric sensor of an entity, a second indexed one, or a symmetric one of an entity
  /// that is not observable.
  Result<SensorId> add_sensor(EntityId entity, const SensorOptions& options, Handler own = {});
  /// The same sensor for many entities, as the other add() does it.
  Result<> add_sensors(std::span<const EntityId> entities, const SensorOptions& options,
                       std::vector<SensorId>& ids);
  Result<> remove_sensor(SensorId sensor);
  Result<> set_radius(SensorId sensor, float radius, float leave_margin = 0);
  /// Keeps what it sees as far as the new options allow. `indexed` stays as it was; the policy
  /// symmetric can neither be taken up nor left.
  Result<> set_options(SensorId sensor, const SensorOptions& options);
  /// An area that watches without being seen: an entity and its sensor in one.
  Result<SensorId> add_trigger(const Position& at, const SensorOptions& options, Handler handler);

  /// Visible to this sensor wherever it is and whatever its flags are; exempt from limits.
  Result<> force(SensorId sensor, EntityId target, bool on = true);
  /// Visible to every sensor that sees beacons and whose filter it passes; exempt from limits.
  Result<> set_beacon(EntityId target, bool on);
  /// Team mates, spouses: come first in symmetric lists. Mutual.
  Result<> set_special(EntityId a, EntityId b, bool on);

  /// Brings all sets up to date and reports the changes. busy: called from a handler; too_many:
  /// more pairs than kMaxChanges would have to be tested, and nothing was done. If a handler
  /// throws, the other events are not reported; the sets are up to date all the same.
  template <class Function = NoHandler>
  Result<UpdateReport> update(Function&& handler = {});
  /// A copy, for metrics. As all calls, for the world's thread only.
  Statistics statistics() const;
  /// The events of the last update, in order; valid until the next. They are stored in a denser
  /// form: this makes a list of them, once per update.
  std::span<const Event> events() const;
  /// function(event) for each of them, in order, without a list.
  template <class Function>
  void each_event(Function&& function) const {
    event_log().each(function);
  }

  /// The sets that events have reported. Sorted by id; empty for unknown ids.
  std::vector<EntityId> sees(SensorId sensor) const;
  std::vector<SensorId> observers(EntityId target) const;
  bool sees(SensorId sensor, EntityId target) const;
  /// The same into the caller's buffers, whose memory is used again; what they held is gone.
  void sees(SensorId sensor, std::vector<EntityId>& out) const;
  void observers(EntityId target, std::vector<SensorId>& out) const;
  /// The indexed sensors that see it and have a number for it, by group and sensor; see wire.hpp.
  void receivers(EntityId target, std::vector<struct Receiver>& out) const;
  /// 0: the target has none.
  std::uint16_t wire_index(SensorId sensor, EntityId target) const;

  /// By present positions. Sorted by id. Only observable entities. Errors as Region::check.
  Result<std::vector<EntityId>> find(const Region& region, const Filter& filter = {}) const;
  /// The k nearest in the plane, sorted by (distance, id), within the radius.
  Result<std::vector<Neighbour>> nearest(const Position& at, std::size_t k, float radius,
                                         const Filter& filter = {}) const;
  /// The same into the caller's buffers, which are empty after an error.
  Result<> find(const Region& region, std::vector<EntityId>& out, const Filter& filter = {}) const;
  Result<> nearest(const Position& at, std::size_t k, float radius, std::vector<Neighbour>& out,
                   const Filter& filter = {}) const;

  /// These have no value, or are empty, for an unknown id.
  std::optional<Position> position(EntityId entity) const;
  std::optional<EntityOptions> entity(EntityId entity) const;
  /// EntityOptions::key, also of a removed entity until its index is used again; 0: unknown.
  std::uint64_t key_of(EntityId entity) const;
  std::optional<SensorOptions> sensor(SensorId sensor) const;
  std::optional<EntityId> owner(SensorId sensor) const;
  std::vector<SensorId> sensors_of(EntityId entity) const;
  /// By index.
  std::vector<EntityId> entities() const;
  const WorldOptions& options() const;
  std::uint64_t memory() const;  ///< bytes held, approximately

  /// Epochs (wire.hpp). Each indexed sensor that is added, and each import, begins a numbering of
  /// the targets that its entity's client knows, with an epoch one higher than the numbering
  /// before. set_epoch sets the epoch that another world gave last. unknown_entity; bad_option:
  /// beyond kMaxEpoch.
  Result<> set_epoch(EntityId entity, std::uint32_t last);
  /// The epoch of a sensor's numbering; also for a removed sensor, until the update after the one
  /// that reports its leaves. 0: not indexed, or unknown.
  std::uint32_t epoch(SensorId sensor) const;
  /// SensorOptions::group of an indexed sensor, as long as epoch() answers; 0: none.
  std::uint32_t group(SensorId sensor) const;

  /// Migration (observer_state.hpp). Exports what an observer's sensor sees, by the keys of
  /// targets.
  Result<ObserverState> export_state(SensorId sensor) const;
  /// Imports into an indexed sensor that sees nothing yet. `resolve` gives the entity of a key
  /// here, or none. Entities that are found are seen from now on, without an event; the next update
  /// reports those that are out of range. The result is for the client: see wire.hpp. too_many: an
  /// epoch beyond kMaxImportedEpoch.
  Result<struct ReindexBatch> import_state(
      SensorId sensor, const ObserverState& state,
      const std::function<EntityId(std::uint64_t key)>& resolve);

  /// The part of import_state that changes the world: the targets are seen from now on, without an
  /// event, under indices 1, 2, ... in this order. bad_option: the sensor sees something already or
  /// is not indexed, or a target is unknown, duplicate or its owner.
  Result<> adopt(SensorId sensor, std::span<const Adopted> targets);

  /// Records everything that changes this world from here on, until null; not owned.
  void record_to(Recorder* recorder);

 private:
  class Impl;
  friend class Dispatch;
  explicit World(std::unique_ptr<Impl> impl);

  Result<UpdateReport> begin_update();
  const EventLog& event_log() const;
  bool has_handlers() const;
  const Handler* handler_of(SensorId sensor) const;
  void end_update() noexcept;

  Impl& settled() const;
  std::unique_ptr<Impl> impl_;
  LoopThread thread_;
};

template <class Function>
Result<UpdateReport> World::update(Function&& handler) {
  const Result<UpdateReport> report = begin_update();
  if (!report) return report;
  struct Ending {
    World* world;
    ~Ending() { world->end_update(); }
  } const ending{this};
  if (!has_handlers()) {
    each_event([&](const Event& event) { handler(event); });
    return report;
  }
  each_event([&](const Event& event) {
    const Handler* own = handler_of(event.sensor);
    own != nullptr ? (*own)(event) : handler(event);
  });
  return report;
}

}  // namespace starbus::aoi
