/// The inside of a World: its tables, and who does what during an update. world.cpp holds what
/// changes it, world_leave.cpp what removes from it, world_update.cpp what finds out the changes,
/// world_interest.cpp what a managed sensor shows, world_queries.cpp what answers.
///
/// A sensor is *plain* if what it shows is what is in range: then its sets live in the backend
/// alone and it costs the world nothing. It is *managed* if anything stands between (more in range
/// than its limit, forced targets, beacons, wire indices, a symmetric list): then the world keeps
/// what it has told. One with a limit is plain until there is a crowd; the world counts.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <optional>

#include "aoi/index/index.hpp"
#include "aoi/select/selection.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/world.hpp"
#include "aoi/world/endings.hpp"
#include "aoi/world/handles.hpp"
#include "aoi/world/rows.hpp"

namespace starbus::aoi {

inline bool holds_value(const std::vector<EntityIndex>& sorted, EntityIndex value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

class World::Impl {
 public:
  explicit Impl(const WorldOptions& options);

  // Each validates at once and is done now, or, while handlers run, when the last has returned.
  Result<EntityId> add(const EntityOptions& options);
  Result<> remove(EntityId entity);
  Result<> move(EntityId entity, Position to);
  Result<> set_flags(EntityId entity, std::uint64_t flags);
  Result<> set_weight(EntityId entity, float weight);
  Result<SensorId> add_sensor(EntityId entity, const SensorOptions& options, Handler own);
  Result<> remove_sensor(SensorId sensor);
  Result<> set_radius(SensorId sensor, float radius, float leave_margin);
  Result<> set_options(SensorId sensor, const SensorOptions& options);
  Result<> force(SensorId sensor, EntityId target, bool on);
  Result<> set_beacon(EntityId target, bool on);
  Result<> set_special(EntityId a, EntityId b, bool on);

  /// Those who were removed go now. Comes before all but add, add_sensor, remove and move.
  void settle();
  Result<UpdateReport> begin_update();
  void end_update() noexcept;
  bool has_handlers() const { return !handlers_.empty(); }
  const Handler* handler_of(SensorId sensor) const;

  std::vector<EntityId> sees(SensorId sensor) const;
  bool sees(SensorId sensor, EntityId target) const;
  std::vector<SensorId> observers(EntityId target) const;
  std::uint16_t wire_index(SensorId sensor, EntityId target) const;
  Result<std::vector<EntityId>> find(const Region& region, const Filter& filter) const;
  Result<std::vector<Neighbour>> nearest(const Position& at, std::size_t k, float radius,
                                         const Filter& filter) const;
  /// Everybody who may be in the box; counted.
  void visit(const Box& box, const std::function<void(EntityIndex)>& visitor) const;
  std::optional<EntityOptions> entity(EntityId entity) const;
  std::uint64_t key_of(EntityId entity) const;
  std::optional<SensorOptions> sensor(SensorId sensor) const;
  std::uint64_t memory() const;

  Result<> set_epoch(EntityId entity, std::uint32_t last);
  std::uint32_t epoch(SensorId sensor) const;

  Result<ObserverState> export_state(SensorId sensor) const;
  Result<ReindexBatch> import_state(SensorId sensor, const ObserverState& state,
                                    const std::function<EntityId(std::uint64_t)>& resolve);
  Result<> adopt(SensorId sensor, std::span<const Adopted> targets, std::uint32_t last_epoch = 0);

  bool lives(EntityId id) const {
    return id && id.index() < scene_.spots.size() && scene_.spots[id.index()].id == id.value;
  }
  bool lives(SensorId id) const {
    return id && id.index() < sensors_.size() && sensors_[id.index()].live &&
           sensor_ids_.value(id.index()) == id.value;
  }
  EntityId id_of(EntityIndex entity) const { return EntityId{scene_.spots[entity].id}; }
  SensorId sensor_id(SensorIndex sensor) const { return SensorId{sensor_ids_.value(sensor)}; }

  const WorldOptions options;
  Recorder* recorder = nullptr;
  EventLog events;  ///< of the last update
  Scene scene_;
  mutable Statistics statistics;
  std::vector<EntityRow> entities_;
  std::vector<SensorRow> sensors_;

 private:
  struct Reflagged {
    EntityIndex entity;
    std::uint64_t before;
  };

  // world_entities.cpp, world_sensors.cpp, world_held.cpp
  template <class Operation>
  Result<> now_or_later(Operation operation) {
    if (!telling_) return operation();
    later_.push_back(std::move(operation));
    return {};
  }
  void fetch_upcoming() const;
  void do_add(EntityId id, const EntityOptions& options);
  void do_move(EntityId id, Position to);
  void do_set_flags(EntityId id, std::uint64_t flags);
  void do_add_sensor(SensorId id, EntityId owner, const SensorOptions& options,
                     FilterNumber filter);
  void do_remove_sensor(SensorId id);
  void do_set_options(SensorId id, const SensorOptions& options, FilterNumber filter);
  void do_set_radius(SensorIndex sensor, float radius, float leave_margin);
  void look_anew(SensorIndex sensor);
  Result<> do_force(SensorId id, EntityId target, bool on);
  Result<> do_set_beacon(EntityId id, bool on);
  void set_watch(SensorIndex sensor, const SensorOptions& options, FilterNumber filter);
  std::optional<FilterNumber> acquire(const Filter& filter);
  /// Of those added and not removed, also not yet done.
  bool has_symmetric(EntityIndex owner) const;
  bool has_indexed(EntityIndex owner) const;
  bool is_hidden(EntityId entity) const;  ///< not observable
  void unlink(SensorIndex sensor);

  // world_leave.cpp
  void fetch_sensors(EntityIndex entity) const;
  void remove_sensors_of(EntityIndex entity);
  void forget_targets();
  void forget_held(EntityIndex entity);
  bool is_or_was_held(EntityIndex entity) const;
  void tell_end(SensorIndex sensor, EntityIndex target);
  void end_entity(EntityIndex entity);

  // world_epochs.cpp
  bool may_number(EntityIndex owner) const;
  void begin_numbering(EntityIndex owner, SensorId sensor);
  void end_numbering(SensorId sensor) { ended_numberings_.push_back(sensor.value); }
  void forget_numberings();

  // world_migration.cpp
  std::optional<EntityIndex> owner_of(SensorId id) const;
  bool may_be_adopted(EntityId target, EntityIndex owner) const;
  Result<> sees_nothing(SensorId id) const;
  Result<> do_adopt(SensorId id, std::span<const Adopted> targets);

  // world_interest.cpp
  void manage(SensorIndex sensor);
  void manage_or_not(SensorIndex sensor);
  void decide_later(SensorIndex sensor);
  bool holds(SensorIndex sensor, EntityIndex target) const;
  void note_flips();
  void note(std::size_t entry);
  bool is_calm(const SensorRow& row) const;
  void decide_pending();
  void recall(SensorIndex sensor, Managed& managed);
  void decide(SensorIndex sensor);
  void add_held(SensorIndex sensor, Managed& managed);
  void tell_difference(SensorIndex sensor, Managed& managed);
  void renumber(Managed& managed);
  Reason reason_of_leave(SensorIndex sensor, EntityIndex target) const;
  Reason reason_of_enter(SensorIndex sensor, EntityIndex target) const;

  // world_limits.cpp
  Ranked rank(SensorIndex sensor, EntityIndex target) const;
  void fit_marks();
  void show_some(SensorIndex sensor, Managed& managed);
  void show_nearest(SensorIndex sensor, Managed& managed);
  void find_newcomers(SensorIndex sensor, float within);
  bool enough_newcomers(const Limit& limit, float within) const;

  // world_update.cpp
  void sum_up(const UpdateReport& report);
  std::uint64_t tests_of_budget() const;
  std::uint64_t tests_for_lists() const;
  /// `spent`: tests of the budget that are used already.
  const std::vector<std::uint8_t>* choose(UpdateReport& report, std::uint64_t spent);
  void look(const std::vector<std::uint8_t>* skip);
  void choose_by_budget(UpdateReport& report, std::uint64_t spent);

  // world_tell.cpp
  void find_entries();
  std::uint32_t entry_of(SensorIndex sensor) const {
    return (has_entry_[sensor / 64] >> sensor % 64 & 1) != 0 ? first_entry_[sensor] : kNone;
  }
  /// kNone: it is the only one of its sensor.
  std::uint32_t older_entry(std::uint32_t entry) const {
    return older_entry_.empty() ? kNone : older_entry_[entry];
  }
  void sort_extra(std::vector<Event>& extra, std::vector<std::uint64_t>& telling);
  void tell(std::vector<Event>& extra, std::vector<std::uint64_t>& telling, Kind kind);
  void fetch_entries(std::size_t word) const;
  void fetch_targets(std::size_t word, Kind kind) const;
  void sort_events(std::span<Event> some);
  std::span<EntityIndex> found(SensorIndex sensor, Kind kind);
  std::span<EntityIndex> join(std::span<const EntityIndex> left, const Endings::Row& ended);
  void tell_sensor(SensorIndex sensor, Kind kind, std::span<const Event> extras);
  void tell_extras(std::span<const Event> extras);
  Reason reason_of(SensorIndex sensor, EntityIndex target, Kind kind,
                   const Endings::Row& ended) const;
  Reason reason_of(SensorIndex sensor, EntityIndex target, Kind kind) const;
  bool failed_before(SensorIndex sensor, EntityIndex target) const;

  std::unique_ptr<Index> index_;
  std::unique_ptr<SymmetricLists> symmetric_;
  Handles entity_ids_;
  Handles sensor_ids_;
  std::vector<EntityIndex> beacons_;  ///< sorted
  boost::unordered_flat_map<EntityIndex, std::vector<SensorIndex>> forced_by_;
  /// By SensorId; each where it stays, since one that runs may add others.
  boost::unordered_flat_map<std::uint32_t, std::unique_ptr<Handler>> handlers_;
  std::vector<std::uint32_t> ended_handlers_;
  /// By entity: of the last numbering that its client has had, if any.
  boost::unordered_flat_map<EntityIndex, std::uint32_t> epochs_;
  /// By SensorId, of indexed ones.
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> numberings_;
  std::vector<std::uint32_t> ended_numberings_;  ///< of sensors that were removed
  std::vector<std::uint32_t> told_numberings_;   ///< of those, what the last update has told
  std::uint32_t with_period_ = 0;                ///< sensors whose period is not 1
  std::uint32_t geometric_ = 0;                  ///< sensors that are not symmetric

  double seconds_per_test_ = 0;  ///< of the last look, with Budget::microseconds

  std::uint64_t update_ = 0;
  bool telling_ = false;
  /// What handlers have added and is not there yet.
  struct Awaited {
    SensorId sensor;
    EntityIndex owner;
    bool symmetric;
    bool indexed;
  };
  std::vector<Awaited> awaited_;
  std::vector<EntityId> awaited_hidden_;  ///< entities that are not observable
  std::vector<std::function<Result<>()>> later_;
  std::uint32_t refused_ = 0;

  static constexpr std::size_t kLeaveTogether = 64;  ///< what they need fits into a cache
  std::vector<EntityIndex> leaving_entities_;        ///< removed, and not settled
  Buffer<Pair> had_;                                 ///< scratch of forget_targets()

  Flips flips_;
  std::vector<std::uint8_t> skip_;     ///< by sensor
  std::vector<Position> looked_from_;  ///< by sensor, while there is a budget
  std::vector<Touched> touched_;
  std::vector<SensorIndex> pending_;
  std::vector<Reflagged> reflagged_;
  std::vector<EntityIndex> released_;  ///< no longer forced or a beacon since the last update
  Endings endings_;
  std::vector<Event> extra_leaves_;
  std::vector<Event> extra_enters_;
  std::uint64_t evictions_ = 0;
  std::vector<std::uint64_t> has_entry_;    ///< a bit by sensor: of entries in flips_
  std::vector<std::uint32_t> first_entry_;  ///< by sensor, if it has one: the last of them
  std::vector<std::uint32_t> older_entry_;  ///< by entry; empty where no sensor has two
  std::vector<std::uint64_t> leaving_;      ///< a bit by sensor: it has leaves to tell
  std::vector<std::uint64_t> entering_;     ///< the same of enters
  std::vector<std::uint32_t> starts_;       ///< scratch of tell(), as are the next five
  std::vector<Event> sorted_events_;
  std::vector<Event> sorted_copy_;
  std::vector<std::uint32_t> place_of_;  ///< by entity
  std::vector<EntityIndex> targets_;
  std::vector<std::uint64_t> marks_;

  // Scratch of decide().
  std::vector<EntityIndex> left_;
  std::vector<EntityIndex> entered_;
  std::vector<EntityIndex> shown_;
  std::vector<EntityIndex> in_range_;
  std::vector<EntityIndex> gone_targets_;  ///< of tell_difference()
  std::vector<EntityIndex> come_targets_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> entity_marks_;  ///< a bit by entity; zeros at rest
  std::vector<Ranked> incumbents_;
  std::vector<Ranked> newcomers_;
};

}  // namespace starbus::aoi
