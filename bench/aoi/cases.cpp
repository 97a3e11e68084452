#include "bench/aoi/cases.hpp"

#include <malloc.h>
#include <time.h>

#include <algorithm>

#include "bench/aoi/floor.hpp"

namespace starbus::bench::aoi {
namespace {

namespace area = starbus::aoi;

double now() {
  timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) * 1e9 + static_cast<double>(at.tv_nsec);
}

// Bytes allocated and not freed, with the overhead of the allocator.
double heap() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// The sum is read, so that no compiler removes the work.
volatile std::uint64_t sink = 0;

class Run {
 public:
  Run(const Workload& workload, const Setup& setup)
      : workload_(workload), setup_(setup), crowd_(workload), ids_(workload.entities) {
    setup_.sight.radius = workload.radius;
    gone_.reserve(workload.entities);
    if (workload.observers != 0) share_ = workload.entities / workload.observers;
  }

  Costs measure() {
    Costs costs;
    before_ = heap();
    area::World world = *area::World::create(options());
    world_ = &world;
    const double begin = now();
    for (std::uint32_t i = 0; i < workload_.entities; ++i) add(i);
    update();
    costs.insert = (now() - begin) / 1e6;
    costs.insert_one = costs.insert * 1e6 / workload_.entities;
    costs.first = costs.most = memory();
    tick_all(costs);
    costs.memory = memory();
    std::uint64_t seen = 0;
    std::uint64_t observers = 0;
    for (const area::EntityId id : ids_) {
      const auto sensors = world.sensors_of(id);
      if (sensors.empty()) continue;
      ++observers;
      seen += world.sees(sensors.front()).size();
    }
    costs.neighbours = static_cast<double>(seen) / static_cast<double>(observers);
    return costs;
  }

 private:
  area::WorldOptions options() const {
    area::WorldOptions of;
    of.backend = setup_.backend;
    of.simd = setup_.simd;
    of.bounds = {{0, 0, 0}, {workload_.size, workload_.size, 0}};
    of.reach = workload_.radius + setup_.sight.leave_margin;
    of.expected_entities = workload_.entities;
    of.expected_sensors = workload_.entities * (setup_.second ? 2 : 1);
    return of;
  }

  double memory() const { return (heap() - before_) / workload_.entities; }

  void tick_all(Costs& costs) {
    events_ = 0;
    double spent = 0;
    std::uint64_t moves = 0;
    for (int tick = 0; tick < workload_.ticks; ++tick) {
      crowd_.step();
      moves += crowd_.movers().size();
      disturb();
      const double start = now();
      for (const std::uint32_t one : gone_) (void)world_->remove(ids_[one]);
      for (const std::uint32_t one : gone_) add(one);
      for (const std::uint32_t one : crowd_.movers()) {
        (void)world_->move(ids_[one], {crowd_.x[one], crowd_.y[one], 0});
      }
      update();
      spent += now() - start;
      costs.most = std::max(costs.most, memory());
    }
    costs.per_move = spent / static_cast<double>(moves);
    costs.per_update = spent / 1e6 / workload_.ticks;
    costs.events = static_cast<double>(events_) / static_cast<double>(moves);
  }

  void add(std::uint32_t entity) {
    area::EntityOptions of;
    of.position = {crowd_.x[entity], crowd_.y[entity], 0};
    of.flags = 1 + entity % 4;
    ids_[entity] = *world_->add(of);
    if (entity % share_ != 0) return;
    (void)world_->add_sensor(ids_[entity], setup_.sight);
    if (setup_.second) (void)world_->add_sensor(ids_[entity], *setup_.second);
  }

  void update() {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    (void)world_->update([&](const area::Event& event) {
      sum += event.target.value;
      ++count;
    });
    if (setup_.batches) {
      starbus::aoi::batches(*world_, batches_);
      for (const area::ObserverBatch& batch : batches_) sum += batch.enters.size();
    }
    sink = sink + sum;
    events_ += count;
  }

  void disturb() {
    const auto share = [&](double of) {
      return static_cast<std::uint32_t>(of * workload_.entities);
    };
    crowd_.scatter(share(setup_.teleporting));
    gone_.clear();
    auto one = static_cast<std::uint32_t>(crowd_.random(workload_.entities));
    for (std::uint32_t i = share(setup_.churning); i > 0; --i) {
      one = (one + 17) % workload_.entities;
      gone_.push_back(one);
    }
  }

  Workload workload_;
  Setup setup_;
  Crowd crowd_;
  area::World* world_ = nullptr;
  std::vector<area::EntityId> ids_;
  std::vector<std::uint32_t> gone_;
  std::vector<area::ObserverBatch> batches_;
  std::uint64_t events_ = 0;
  double before_ = 0;        ///< bytes of heap without the world
  std::uint32_t share_ = 1;  ///< one in so many entities observes
};

}  // namespace

Costs run(const Workload& workload, const Setup& setup) {
  return Run(workload, setup).measure();
}

Costs run_floor(const Workload& workload) {
  Crowd crowd(workload);
  Floor floor(workload.size, workload.radius);
  double spent = 0;
  std::uint64_t moves = 0;
  for (int tick = 0; tick < workload.ticks; ++tick) {
    crowd.step();
    const double begin = now();
    sink = sink + floor.sweep(crowd.x, crowd.y);
    spent += now() - begin;
    moves += crowd.movers().size();
  }
  Costs costs;
  costs.per_move = spent / static_cast<double>(moves);
  return costs;
}

}  // namespace starbus::bench::aoi
