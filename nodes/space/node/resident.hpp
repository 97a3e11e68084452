/// The component that an entity gets when it first enters a space of this process: tells the space
/// when the entity ends, moves away, or leaves by another way than GameSpace::leave.
///
/// Belongs to the loop's thread and to its entity. It does not travel: a process that has no such
/// component leaves it out. Never fails.
#pragma once

#include <memory>

#include "entity/objects/component.hpp"
#include "nodes/space/names.hpp"
#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

class GameSpace;

class Resident final : public entity::ComponentOf<Resident> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "starbus_resident";

  /// It is a member of this space from now on.
  void enters(GameSpace& space);
  /// And of none. `dead`: this space has ended while the entity was frozen in it, so the entity
  /// leaves when it goes on; a player is left over then.
  void left(const GameSpace* dead = nullptr, bool player = false);

 private:
  entity::EntityResult<> on_activate() override;
  void on_leave_space(entity::OnlineId space, entity::LeaveReason why) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;
  void tell_space();

  GameSpace* space_ = nullptr;
  std::weak_ptr<bool> there_;  // expired: the space has gone
  struct Dead {
    SpaceName name;
    SpaceType type;
    bool player = false;
  };
  std::unique_ptr<Dead> dead_;
};

}  // namespace starbus::nodes::space
