// What lives in the fields beside heroes: it wanders, chases who comes near, and gives up when it
// is too far from home. The crowd of its field walks it around rocks, and around others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "entity/entities.hpp"
#include "nodes/space/nav/actor_nav.hpp"
#include "nodes/space/sight/mover.hpp"

namespace arena {

namespace crowds = starbus::nodes::crowds;
namespace entity = starbus::entity;
namespace sight = starbus::nodes::sight;

class Field;
class Hero;

// What the kinds of monsters are like.
struct MonsterKind {
  std::int32_t health;
  std::int32_t damage;
  float speed;  // m/s when it chases; half of that when it wanders
  float sight;  // m: who comes nearer is chased
  std::int32_t least_gold;
  std::int32_t most_gold;
};
const std::map<std::string, MonsterKind>& monster_kinds();
// nullptr: there is no such kind.
const MonsterKind* kind_of(const std::string& name);

struct MonsterState : entity::Properties<MonsterState> {
  STARBUS_FIELDS(Field<std::string, all_clients> kind{*this};
                 Field<std::int32_t, all_clients> health{*this};
                 StateOf<crowds::ActorNav> actor_nav{this};)
};

class Monster final : public entity::EntityOf<Monster, entity::Entity,
                                              entity::Components<sight::Mover, crowds::ActorNav>> {
 public:
  static constexpr std::string_view kTypeName = "monster";
  MonsterState state;
  entity::Root* properties() override { return &state; }

  // Once, before it enters.
  void become(const std::string& name, const MonsterKind& kind);
  // One tick of its life.
  void live(Field& field, float seconds);
  void hurt(Hero& by, std::int32_t damage);
  const starbus::nodes::movement::Position& place() const;

 private:
  crowds::ActorNav& nav() { return *component<crowds::ActorNav>(); }
  void choose(Field& field);
  void chase(const Hero& hero);
  void walk_to(const starbus::nodes::movement::Position& to);
  void pace(float speed);

  const MonsterKind* kind_ = nullptr;
  std::optional<starbus::nodes::movement::Position> home_;
  bool goes_home_ = false;
  entity::OnlineId chased_ = entity::OnlineId::none;
  float rest_ = 0;      // s until it wanders on, or looks for a way again
  float recovery_ = 0;  // s until it strikes again
};

}  // namespace arena
