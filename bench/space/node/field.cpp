#include "bench/space/node/field.hpp"

#include <nlohmann/json.hpp>

#include "bench/space/node/walker.hpp"
#include "bench/space/start.hpp"

namespace starbus::bench::space {
namespace {

// Ticks between two counts of who sees whom, which cost time of the space.
constexpr std::uint64_t kLookEvery = 10;
constexpr float kFastest = 6;  // m/s

}  // namespace

Field::Field(nodes::space::SpaceInit init, const FieldOptions& options)
    : GameSpace(std::move(init)), options_(options) {
  move_rules().modes = {{.speed = kFastest}};
}

nodes::sight::WatchOptions Field::watch_options(const entity::Entity& player) {
  auto how = GameSpace::watch_options(player);
  how.sensor.limit = {.policy = aoi::LimitPolicy::nearest, .count = options_.view};
  how.view.schedule.per_metre = 0;  // the far as often as the near, as in a room of the peer
  return how;
}

aoi::Position Field::entrance(const entity::Entity& player) const {
  const auto* const walker = entity::type_cast<Walker>(&player);
  const float side = type().max[0] - type().min[0];
  const auto start =
      start_of(options_.paths, walker == nullptr ? 0 : walker->number(), side, options_.margin);
  return {start.x, start.y, 0};
}

void Field::on_tick(const nodes::space::SpaceTick& tick) {
  ++ticks_;
  if (options_.news_every == 0 || tick.number % options_.news_every != 0) return;
  for_each_player([&](entity::Entity& each) {
    auto* const walker = entity::type_cast<Walker>(&each);
    if (walker == nullptr) return;
    walker->state.pose = static_cast<std::uint8_t>(tick.number % 100 + 1);
    ++changes_;
  });
}

void Field::on_after_tick(const nodes::space::SpaceTick& tick) {
  if (tick.number % kLookEvery != 0) return;
  pairs_ = 0;
  for_each_player([&](entity::Entity& each) {
    aoi().observers(*aoi_id(each), observers_);
    pairs_ += observers_.size();
  });
}

nlohmann::json Field::figures() const {
  const auto& told = sight().counters();
  return {{"players", players()},
          {"ticks", ticks_},
          {"pairs", pairs_},
          {"updates", told.moves + told.enters},  // an enter tells a place, too
          {"moves", told.moves},
          {"move_bytes", told.move_bytes},
          {"bodies", told.bodies},
          {"bytes", told.bytes},
          {"enters", told.enters},
          {"news", told.news},
          {"changes", changes_},
          {"deltas_encoded", told.deltas_encoded}};
}

}  // namespace starbus::bench::space
