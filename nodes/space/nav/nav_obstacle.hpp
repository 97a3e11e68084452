/// The component of an entity that stands in the way of walkers: a door, a wagon, a fire.
///
///   class Door final : public entity::EntityOf<Door, entity::Entity,
///                                              entity::Components<sight::Mover, NavObstacle>>
///   struct DoorState : entity::Properties<DoorState> {
///     STARBUS_FIELDS(entity::StateOf<crowds::NavObstacle> nav_obstacle{this};)
///   };
///   obstacle.set({.low = {-1, -0.2F, 0}, .high = {1, 0.2F, 3}});   // in on_init
///   obstacle.set_present(false);                                  // it is opened
///
/// Walkers whose way it crosses look for another one; nobody stands in it. Whether it is there is a
/// property: so it is there again in another space, in another process, and for another crowd after
/// the death of a node. The type of the space says how many there may be (`obstacles`).
///
/// Belongs to the loop's thread and to its entity; travels with it. An entity without a Mover is in
/// nobody's way. Failures are values.
#pragma once

#include <string_view>

#include "entity/objects/component_state.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/nav/messages.hpp"
#include "nodes/space/sight/mover.hpp"

namespace starbus::nodes::crowds {

class SpaceObstacles;

/// What stands there.
struct NavBlock {
  Point low;   ///< m, from the entity's position
  Point high;  ///< likewise; not below `low`
  /// What the ground under it is like meanwhile: kinds pass it, or not (`closed`).
  nav::Area area = nav::kWall;
  bool operator==(const NavBlock&) const = default;
};

class NavObstacle final : public entity::ComponentOf<NavObstacle> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "nav_obstacle";

  struct State : entity::Struct<State> {
    STARBUS_FIELDS(entity::Field<bool> away{*this};)
  };
  /// It travels, and nobody else sees it.
  static constexpr entity::Flags kStateFlags = entity::Flags::none;

  /// From now on. bad_request: no numbers, `low` above `high`, or an area beyond nav::kMaxArea.
  Result<> set(const NavBlock& block);
  const NavBlock& block() const { return block_; }
  /// A door is closed, or opened. Its crowd knows with its next batch.
  void set_present(bool present);
  bool present() const { return !state().away.get(); }

 private:
  friend class SpaceObstacles;

  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;

  NavBlock block_;
};

}  // namespace starbus::nodes::crowds
