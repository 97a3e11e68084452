#include "bench/aoi/cases.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/aoi/floor.hpp"

namespace starbus::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// What is summed up is looked at, so that no compiler leaves it out.
volatile std::uint64_t sink = 0;

class Run {
 public:
  Run(const Workload& workload, const Setup& setup)
      : workload_(workload),
        setup_(setup),
        crowd_(workload),
        world_(*aoi::World::create(options(workload, setup))),
        ids_(workload.entities) {
    setup_.sight.radius = workload.radius;
  }

  Figures measure() {
    Figures figures;
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < workload_.entities; ++i) add(i);
    update();
    figures.insert = since(begin) / 1e6;
    events_ = 0;
    double spent = 0;
    std::uint64_t moves = 0;
    for (int tick = 0; tick < workload_.ticks; ++tick) {
      crowd_.step();
      disturb();
      const auto start = Clock::now();
      for (const std::uint32_t one : gone_) (void)world_.remove(ids_[one]);
      for (const std::uint32_t one : gone_) add(one);
      for (const std::uint32_t one : crowd_.movers()) {
        (void)world_.move(ids_[one], {crowd_.x[one], crowd_.y[one], 0});
      }
      update();
      spent += since(start);
      moves += crowd_.movers().size();
    }
    figures.per_move = spent / static_cast<double>(moves);
    figures.per_update = spent / 1e6 / workload_.ticks;
    figures.events = static_cast<double>(events_) / static_cast<double>(moves);
    figures.memory = static_cast<double>(world_.memory()) / workload_.entities;
    std::uint64_t seen = 0;
    for (const aoi::EntityId id : ids_) seen += world_.sees(world_.sensors_of(id).front()).size();
    figures.neighbours = static_cast<double>(seen) / workload_.entities;
    return figures;
  }

 private:
  static aoi::WorldOptions options(const Workload& workload, const Setup& setup) {
    aoi::WorldOptions of;
    of.backend = setup.backend;
    of.simd = setup.simd;
    of.bounds = {{0, 0, 0}, {workload.size, workload.size, 0}};
    of.reach = workload.radius + setup.sight.leave_margin;
    of.expected_entities = workload.entities;
    of.expected_sensors = workload.entities * (setup.second.radius > 0 ? 2 : 1);
    return of;
  }

  void add(std::uint32_t entity) {
    aoi::EntityOptions of;
    of.position = {crowd_.x[entity], crowd_.y[entity], 0};
    of.flags = 1 + entity % 3;
    ids_[entity] = *world_.add(of);
    (void)world_.add_sensor(ids_[entity], setup_.sight);
    if (setup_.second.radius > 0) (void)world_.add_sensor(ids_[entity], setup_.second);
  }

  void update() {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    (void)world_.update([&](const aoi::Event& event) {
      sum += event.target.value;
      ++count;
    });
    sink = sink + sum;
    events_ += count;
  }

  void disturb() {
    const auto share = [&](double of) {
      return static_cast<std::uint32_t>(of * workload_.entities);
    };
    for (std::uint32_t i = share(setup_.teleporting); i > 0; --i) {
      crowd_.scatter(static_cast<std::uint32_t>(crowd_.random(workload_.entities)));
    }
    gone_.clear();
    std::uint32_t one = static_cast<std::uint32_t>(crowd_.random(workload_.entities));
    for (std::uint32_t i = share(setup_.churning); i > 0; --i) {
      one = (one + 17) % workload_.entities;
      gone_.push_back(one);
    }
  }

  Workload workload_;
  Setup setup_;
  Crowd crowd_;
  aoi::World world_;
  std::vector<aoi::EntityId> ids_;
  std::vector<std::uint32_t> gone_;
  std::uint64_t events_ = 0;
};

}  // namespace

Figures run(const Workload& workload, const Setup& setup) {
  return Run(workload, setup).measure();
}

double run_floor(const Workload& workload) {
  Crowd crowd(workload);
  Floor floor(workload.size, workload.radius);
  double spent = 0;
  std::uint64_t moves = 0;
  for (int tick = 0; tick < workload.ticks; ++tick) {
    crowd.step();
    const auto begin = Clock::now();
    sink = sink + floor.sweep(crowd.x, crowd.y);
    spent += since(begin);
    moves += crowd.movers().size();
  }
  return spent / static_cast<double>(moves);
}

}  // namespace starbus::bench
