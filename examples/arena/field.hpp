// A space of the arena: its scene, its monsters, its heroes.
#pragma once

#include <cstdint>
#include <string>

#include "entity/chance/random_stream.hpp"
#include "nodes/space/node/space.hpp"
#include "nodes/space/scene/scene_director.hpp"

namespace arena {

namespace entity = starbus::entity;
namespace space = starbus::nodes::space;

class Hero;
class Monster;

class Field final : public space::GameSpace, private space::SceneGame {
 public:
  Field(space::SpaceInit init, const space::SceneData& scene);

  // nullptr: nobody is that near, or all of them are dead.
  Hero* nearest_hero(const starbus::aoi::Position& at, float within);
  void killed(Monster& monster);
  entity::RandomStream& chance() { return chance_; }
  // Where heroes begin, also again: around the middle, each at a spot of its own.
  starbus::aoi::Position entrance(const entity::Entity& hero) const override;
  // What the page is told of the field, of heroes and of monsters, so that it repeats no figure:
  // {"area": [x, y, to_x, to_y], "portals": [[x, y, radius, "forest"], ...],
  //  "hero": {"health", "speed", "reach", "strike_ms", "text"}, "monsters": {"wolf": 40, ...}}
  starbus::nodes::sight::WatchOptions watch_options(const entity::Entity& player) override;

 private:
  void on_start(const std::string& setup, starbus::nodes::Done done) override;
  void on_tick(const space::SpaceTick& tick) override;
  void on_after_tick(const space::SpaceTick&) override { scene_.after_tick(); }
  void on_enter(entity::Entity& entity) override;
  void on_leave(entity::Entity& entity) override;
  void on_end(starbus::nodes::Done done) override;

  entity::Entity* make(const space::SpawnRow& row) override;
  void on_portal(const space::PortalRow& row, entity::Entity& player) override;

  space::SceneDirector scene_;
  entity::RandomStream chance_;
  std::string setup_;  // of watch_options
};

}  // namespace arena
