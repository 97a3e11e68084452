#include "bench/space/sight_load.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "aoi/world.hpp"
#include "base/histogram.hpp"
#include "bench/harness/clock.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/space/sight/sight_view.hpp"

namespace starbus::bench::space {
namespace {

using namespace nodes::sight;

struct WalkerState : entity::Properties<WalkerState> {
  STARBUS_FIELDS(Field<int, all_clients> hp{*this, 100};
                 Field<std::string, all_clients> nick{*this, "somebody"};)
};

struct Walker {
  aoi::EntityId id;
  aoi::SensorId sensor;
  WalkerState state;
  std::shared_ptr<Subject> subject;
  Locomotion move;
  SightView view = *SightView::create();
};

class Walk {
 public:
  explicit Walk(const Load& load)
      : load_(load),
        world_(
            *aoi::World::create({.bounds = {{0, 0, 0}, {load.side, load.side, 0}},
                                 .reach = load.radius,
                                 .expected_entities = static_cast<std::uint32_t>(load.walkers)})) {
    std::uniform_real_distribution<float> anywhere(0, load.side);
    std::uniform_real_distribution<float> turn(-3, 3);
    for (std::size_t i = 0; i < load.walkers; ++i) {
      auto walker = std::make_unique<Walker>();
      walker->move.position = {anywhere(random_), anywhere(random_), 0};
      walker->move.heading = turn(random_);
      walker->id = *world_.add({.position = walker->move.position, .key = i + 1});
      const auto count = static_cast<std::uint16_t>(load.most_seen == 0 ? 100 : load.most_seen);
      walker->sensor = *world_.add_sensor(
          walker->id, {.radius = load.radius, .limit = {aoi::LimitPolicy::nearest, count, 0.1F}});
      walker->subject = std::make_shared<Subject>(i + 1, "walker", &walker->state);
      walker->subject->set_move(walker->move);
      by_entity_.resize(std::max<std::size_t>(by_entity_.size(), walker->id.index() + 1));
      by_sensor_.resize(std::max<std::size_t>(by_sensor_.size(), walker->sensor.index() + 1));
      by_entity_[walker->id.index()] = by_sensor_[walker->sensor.index()] = walker.get();
      walkers_.push_back(std::move(walker));
    }
  }

  /// All have been told of all, so that what follows is walking alone.
  void begin() {
    for (int i = 0; i < 100; ++i) tick();
    times_ = {};
    aoi_ = views_ = 0;
    moved_bytes_ = told_bytes_ = moved_ = 0;
  }
  void tick() {
    step();
    const std::int64_t began = now_ns();
    now_ += 100;
    static_cast<void>(world_.update([this](const aoi::Event& event) { on(event); }));
    const std::int64_t seen = now_ns();
    store_.begin(++ticks_, now_);
    for (const auto& walker : walkers_) walker->subject->refresh(store_);
    for (const auto& walker : walkers_) tell(*walker);
    const std::int64_t told = now_ns();
    times_.record(told - began);
    aoi_ += static_cast<double>(seen - began);
    views_ += static_cast<double>(told - seen);
  }
  Metrics metrics() const {
    const auto moves = static_cast<double>(moved_);
    const auto walkers = static_cast<double>(load_.walkers);
    double seen = 0;
    for (const auto& walker : walkers_) seen += static_cast<double>(walker->view.size());
    const double ticks = load_.ticks;
    return {{"p50", static_cast<double>(times_.percentile(50)) / kMillisecond},
            {"p99", static_cast<double>(times_.percentile(99)) / kMillisecond},
            {"aoi", aoi_ / ticks / kMillisecond},
            {"views", views_ / ticks / kMillisecond},
            {"bytes", moves == 0 ? 0 : static_cast<double>(moved_bytes_) / moves},
            {"seen", seen / walkers},
            {"client", static_cast<double>(told_bytes_) / walkers / ticks * 10}};
  }

 private:
  /// 5 m/s, in a circle of its own.
  void step() {
    for (const auto& walker : walkers_) {
      Locomotion& move = walker->move;
      move.heading += 0.1F;
      move.position.x =
          std::clamp(move.position.x + 0.5F * std::cos(move.heading), 0.F, load_.side);
      move.position.y =
          std::clamp(move.position.y + 0.5F * std::sin(move.heading), 0.F, load_.side);
      move.at = now_;
      walker->subject->set_move(move);
      static_cast<void>(world_.move(walker->id, move.position));
    }
  }
  void on(const aoi::Event& event) {
    SightView& view = by_sensor_[event.sensor.index()]->view;
    if (event.kind == aoi::Kind::leave) return view.leaves(event.target);
    view.enters(event.target, by_entity_[event.target.index()]->subject);
  }
  void tell(Walker& walker) {
    bus::Bytes body;
    if (walker.view.scene_due()) {
      Scene scene;
      walker.view.tell_scene(scene, body);
      walker.view.ready(scene.number);
      return;
    }
    const std::uint64_t others = others_told();
    const std::uint64_t moves = store_.counters().moves;
    if (!walker.view.make(store_, walker.move.position, body)) return;
    told_bytes_ += body.size();
    if (others_told() != others) return;
    // A body of moves alone: the format, the head of the batch, and movers.
    moved_bytes_ += body.size() - 1 - kMovesHead;
    moved_ += store_.counters().moves - moves;
  }
  std::uint64_t others_told() const {
    const SightCounters& now = store_.counters();
    return now.enters + now.leaves + now.news;
  }

  const Load load_;
  std::mt19937 random_{7};
  aoi::World world_;
  TickStore store_{MoveGrid{}};
  std::vector<std::unique_ptr<Walker>> walkers_;
  std::vector<Walker*> by_entity_;
  std::vector<Walker*> by_sensor_;
  std::uint64_t ticks_ = 0;
  std::uint32_t now_ = 1'000;
  Histogram times_;
  double aoi_ = 0;
  double views_ = 0;
  std::uint64_t moved_ = 0;  // in bodies of moves alone, as moved_bytes_
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t told_bytes_ = 0;
};

}  // namespace

Metrics run(const Load& load) {
  Walk walk(load);
  walk.begin();
  for (int i = 0; i < load.ticks; ++i) walk.tick();
  return walk.metrics();
}

}  // namespace starbus::bench::space
