// A space of the game, of whichever type: its scene, from scenes/TYPE.toml, its sheep, its heroes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hero.hpp"
#include "nodes/space/node/space.hpp"
#include "nodes/space/scene/scene_director.hpp"
#include "sheep.hpp"

namespace game {

inline constexpr float kSpeed = 6;  // m/s of a hero: as in web/src/game.ts

/// Made and ended by the SpaceHost of its node. Belongs to the loop's thread.
class Field final : public space::GameSpace, private space::SceneGame {
 public:
  Field(space::SpaceInit init, const space::SceneData& scene)
      : GameSpace(std::move(init)),
        scene_(*this, *this, scene, name().line),
        chance_(name().line, name().place.type) {
    move_rules().modes = {{.speed = kSpeed}};
    nlohmann::json setup;
    setup["area"] = {type().min[0], type().min[1], type().max[0], type().max[1]};
    setup["portals"] = nlohmann::json::array();
    for (const space::PortalRow& row : scene.portals) {
      setup["portals"].push_back({row.at.x, row.at.y, row.radius, row.to.type});
    }
    setup_ = setup.dump();
  }

 private:
  void on_start(const std::string&, nodes::Done done) override {
    if (const auto begun = scene_.begin(); !begun) return done(bus::Error(begun.error()));
    done({});
  }
  void on_tick(const space::SpaceTick& tick) override {
    scene_.tick(tick);
    const float seconds = std::chrono::duration<float>(tick.passed).count();
    for_each_other([&](entity::Entity& each) {
      if (auto* const sheep = entity::type_cast<Sheep>(&each)) sheep->live(seconds, chance_);
    });
    for_each_player([&](entity::Entity& each) {
      if (tick.number % kRememberEvery != 0) return;
      if (auto* const hero = entity::type_cast<Hero>(&each)) hero->remember_place();
    });
  }
  void on_after_tick(const space::SpaceTick&) override { scene_.after_tick(); }
  void on_leave(entity::Entity& each) override {
    scene_.left(each);
    if (auto* const hero = entity::type_cast<Hero>(&each)) hero->remember_place();
  }
  void on_end(nodes::Done done) override {
    scene_.end();
    done({});
  }
  /// Around the middle: those who come one after the other do not stand on each other.
  aoi::Position entrance(const entity::Entity& each) const override {
    const auto id = static_cast<std::uint64_t>(each.online_id());
    aoi::Position at = GameSpace::entrance(each);
    at.x += static_cast<float>(id % 5) - 2;
    at.y += static_cast<float>(id / 5 % 5) - 2;
    return at;
  }
  /// What the page draws.
  sight::WatchOptions watch_options(const entity::Entity& player) override {
    auto how = GameSpace::watch_options(player);
    how.setup = setup_;
    return how;
  }

  // --- of the scene ---

  entity::Entity* make(const space::SpawnRow& row) override {
    auto made = entities().create<Sheep>();
    if (!made) return nullptr;  // it is tried again
    (*made)->state.kind = row.kind;
    return *made;
  }
  void on_portal(const space::PortalRow& row, entity::Entity& player) override {
    if (auto* const hero = entity::type_cast<Hero>(&player)) hero->travel(row.to, row.arrive);
  }

  static constexpr std::uint64_t kRememberEvery = 10;  // ticks: what a crash may take of the way

  space::SceneDirector scene_;
  entity::RandomStream chance_;
  std::string setup_;
};

}  // namespace game
