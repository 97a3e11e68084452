#include "aoi/world/impl.hpp"

#include <algorithm>
#include <chrono>

namespace starbus::aoi {

World::Impl::Impl(const WorldOptions& options)
    : tables_(options),
      index_(make_index(options, tables_.scene)),
      lists_(tables_.scene, tables_.options.symmetric),
      pins_(tables_),
      flags_(tables_),
      deltas_(tables_),
      extra_(tables_),
      limits_(tables_, *index_, pins_),
      views_(tables_, *index_, lists_, pins_, flags_, numberings_, extra_),
      interest_(tables_, *index_, lists_, pins_, deltas_, limits_, views_),
      schedule_(tables_, *index_),
      writer_(tables_, flags_, pins_, numberings_, deltas_, extra_, endings_),
      removals_(
          {tables_, *index_, lists_, pins_, interest_, views_, endings_, numberings_, handlers_}),
      entities_(tables_, *index_, lists_, interest_, flags_, removals_, deferred_),
      sensors_({tables_, *index_, lists_, pins_, interest_, schedule_, numberings_, handlers_,
                removals_, deferred_}),
      pinning_(tables_, lists_, pins_, interest_, deferred_),
      migration_({tables_, *index_, lists_, pins_, interest_, numberings_, removals_, deferred_}),
      queries_(tables_, *index_, lists_, pins_, numberings_) {
  const std::size_t entities = std::min(options.expected_entities, kMaxEntities);
  const std::size_t sensors = std::min(options.expected_sensors, kMaxSensors);
  if (entities + sensors == 0) return;
  numberings_.expect(entities, sensors);
  tables_.reserve(entities, sensors);
  index_->reserve(entities, sensors);
}

// Grows by a half at least: many small additions must not copy the tables each time.
void World::Impl::expect(std::size_t entities, std::size_t sensors) {
  const auto room = [](std::size_t size, std::size_t capacity, std::size_t more, std::size_t most) {
    const std::size_t needed = size + std::min(more, most);
    return needed <= capacity ? 0 : std::max(needed, capacity + capacity / 2);
  };
  const Scene& scene = tables_.scene;
  tables_.reserve(room(scene.spots.size(), scene.spots.capacity(), entities, kMaxEntities),
                  room(scene.watches.size(), scene.watches.capacity(), sensors, kMaxSensors));
}

Result<UpdateReport> World::Impl::begin_update() {
  if (deferred_.active()) return Errc::busy;
  settle();
  if (!schedule_.is_countable()) return Error(Errc::too_many, "kMaxChanges");
  if (recorder_ != nullptr) recorder_->update();
  const auto begin = std::chrono::steady_clock::now();
  UpdateReport report = update_sets();
  const auto spent = std::chrono::steady_clock::now() - begin;
  report.microseconds = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
  add_to_statistics(report);
  deferred_.begin();
  return report;
}

UpdateReport World::Impl::update_sets() {
  numberings_.advance();
  UpdateReport report;
  report.update = ++tables_.update;
  report.refused = deferred_.take_refused();
  tables_.entity_ids.advance(tables_.update);
  tables_.sensor_ids.advance(tables_.update);
  views_.start();
  deltas_.start();
  const auto searched =
      lists_.update(schedule_.tests_for_lists(), tables_.options.budget.max_staleness);
  flags_.sort();
  schedule_.evaluate(deltas_.delta(), searched.tests, report);
  interest_.note_delta();
  deltas_.map();
  interest_.decide_pending();
  writer_.write();
  interest_.release_calm();
  deltas_.rest();
  flags_.clear();
  pins_.clear_released();
  const Delta& delta = deltas_.delta();
  report.pair_tests = delta.pair_tests + searched.tests;
  report.visited = delta.visited;
  report.looked = delta.evaluated + searched.done;
  report.put_off += lists_.waiting();
  report.overdue += searched.overdue;
  report.staleness = std::max(report.staleness, searched.staleness);
  report.events = writer_.log().size();
  report.limit_evictions = views_.evictions();
  return report;
}

void World::Impl::end_update() noexcept {
  handlers_.drop_ended();
  deferred_.finish();
}

void World::Impl::add_to_statistics(const UpdateReport& report) {
  ++statistics_.updates;
  statistics_.pair_tests += report.pair_tests;
  statistics_.visited += report.visited;
  statistics_.events += report.events;
  statistics_.limit_evictions += report.limit_evictions;
  statistics_.looked += report.looked;
  statistics_.put_off += report.put_off;
  statistics_.refused += report.refused;
  statistics_.microseconds += report.microseconds;
}

Statistics World::Impl::statistics() const {
  Statistics sums = statistics_;
  queries_.add_to(sums);
  return sums;
}

// Takes effect at once also for handlers, because no set and no event shows it.
Result<> World::Impl::set_epoch(EntityId entity, std::uint32_t last) {
  if (!tables_.entity_ids.valid(entity.value)) return Errc::unknown_entity;
  if (last > kMaxEpoch) return Error(Errc::bad_option, "kMaxEpoch");
  numberings_.raise(entity.index(), last);
  return {};
}

Result<> World::Impl::adopt(SensorId sensor, std::span<const Adopted> targets,
                            std::uint32_t last_epoch) {
  return record(migration_.adopt(sensor, targets, last_epoch), [&](Recorder& to) {
    if (const auto owner = migration_.owner_of(sensor); owner && last_epoch != 0) {
      to.set_epoch(EntityId{tables_.entity_ids.value(*owner)}, last_epoch);
    }
    to.adopt(sensor, targets);
  });
}

std::uint64_t World::Impl::memory() const {
  return tables_.memory() + index_->memory() + lists_.memory() + writer_.memory() +
         deltas_.memory() + endings_.memory() + extra_.memory() + numberings_.memory();
}

}  // namespace starbus::aoi
