#include "examples/arena/field.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "entity/chance/random_stream.hpp"

#include "examples/arena/hero.hpp"
#include "examples/arena/monster.hpp"

namespace arena {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kHeroFlag = 1;      // in the area of interest
constexpr std::uint64_t kPlacesEvery = 50;  // ticks between what is saved of places
constexpr std::uint64_t kSpread = 1;        // the seed of spread()
constexpr float kAroundEntrance = 8;        // m
constexpr float kAroundArrival = 3;         // m: no farther, or some would stand in a portal

std::string setup_of(const space::SpaceType& type, const space::SceneData& scene) {
  nlohmann::json setup;
  setup["area"] = {type.min[0], type.min[1], type.max[0], type.max[1]};
  setup["portals"] = nlohmann::json::array();
  for (const space::PortalRow& row : scene.portals) {
    setup["portals"].push_back({row.at.x, row.at.y, row.radius, row.to.type});
  }
  setup["hero"] = {{"health", kFullHealth},
                   {"speed", kHeroSpeed},
                   {"reach", kReach},
                   {"strike_ms", kBetweenStrikes.count()},
                   {"text", kLongestText}};
  for (const auto& [kind, what] : monster_kinds()) setup["monsters"][kind] = what.health;
  return setup.dump();
}

// Evenly over a disc, always the same spot for the same hero.
starbus::aoi::Position spread(starbus::aoi::Position at, float metres, const entity::Entity& hero) {
  entity::RandomStream stream(kSpread, hero.persistent_id());
  const double away = metres * std::sqrt(stream.unit());
  const double angle = 6.2831853 * stream.unit();
  at.x += static_cast<float>(away * std::cos(angle));
  at.y += static_cast<float>(away * std::sin(angle));
  return at;
}

}  // namespace

Field::Field(space::SpaceInit init, const space::SceneData& scene)
    : GameSpace(std::move(init)),
      scene_(*this, *this, scene, name().line),
      chance_(name().line, name().place.type),
      setup_(setup_of(type(), scene)) {
  move_rules().modes = {{.speed = kHeroSpeed}};
  // A daemon that was killed and runs again has held reports back for so long at most: who plays
  // on is not set back for it.
  move_rules().jitter = 1s;
}

starbus::aoi::Position Field::entrance(const entity::Entity& hero) const {
  return spread(GameSpace::entrance(hero), kAroundEntrance, hero);
}

starbus::nodes::sight::WatchOptions Field::watch_options(const entity::Entity& player) {
  auto how = GameSpace::watch_options(player);
  how.setup = setup_;
  return how;
}

void Field::on_start(const std::string&, starbus::nodes::Done done) {
  if (const auto begun = scene_.begin(); !begun) return done(bus::Error(begun.error()));
  done({});
}

void Field::on_tick(const space::SpaceTick& tick) {
  scene_.tick(tick);
  const float seconds = std::chrono::duration<float>(tick.passed).count();
  for_each_other([&](entity::Entity& each) {
    if (auto* const monster = entity::type_cast<Monster>(&each)) monster->live(*this, seconds);
  });
  if (tick.number % kPlacesEvery != 0) return;
  for_each_player([](entity::Entity& each) {
    if (auto* const hero = entity::type_cast<Hero>(&each)) hero->remember_place();
  });
}

void Field::on_enter(entity::Entity& entity) {
  if (entity::type_cast<Hero>(&entity) != nullptr) {
    static_cast<void>(aoi().set_flags(*aoi_id(entity), kHeroFlag));
  }
}

void Field::on_leave(entity::Entity& entity) {
  scene_.left(entity);
  if (auto* const hero = entity::type_cast<Hero>(&entity)) hero->remember_place();
}

void Field::on_end(starbus::nodes::Done done) {
  scene_.end();
  done({});
}

Hero* Field::nearest_hero(const starbus::aoi::Position& at, float within) {
  starbus::aoi::Filter heroes;
  heroes.any = kHeroFlag;
  const auto near = aoi().nearest(at, 1, within, heroes);
  if (!near || near->empty()) return nullptr;
  auto* const hero = entities().find_as<Hero>(entity::OnlineId{aoi().key_of(near->front().entity)});
  return hero != nullptr && hero->is_alive() ? hero : nullptr;
}

void Field::killed(Monster& monster) {
  scene_.killed(monster);
}

entity::Entity* Field::make(const space::SpawnRow& row) {
  const MonsterKind* const kind = kind_of(row.kind);
  if (kind == nullptr) return nullptr;
  auto made = entities().create<Monster>();
  if (!made) return nullptr;
  (*made)->become(row.kind, *kind);
  return *made;
}

void Field::on_portal(const space::PortalRow& row, entity::Entity& player) {
  auto* const hero = entity::type_cast<Hero>(&player);
  if (hero == nullptr) return;
  auto arrive = row.arrive;
  if (arrive) arrive = spread(*arrive, kAroundArrival, *hero);
  hero->travel(row.to, arrive);
}

}  // namespace arena
