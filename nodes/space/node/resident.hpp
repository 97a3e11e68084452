/// The component that an entity gets when it first enters a space of this process: tells the space
/// when the entity ends, moves away, or leaves by another way than GameSpace::leave.
///
/// Belongs to the loop's thread and to its entity. It does not travel: a process that has no such
/// component leaves it out. Never fails.
#pragma once

#include <memory>

#include "entity/objects/component.hpp"

namespace starbus::nodes::space {

class GameSpace;

class Resident final : public entity::ComponentOf<Resident> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "starbus_resident";

  /// It is a member of this space from now on.
  void enters(GameSpace& space);
  /// And of none. `in_dead_space`: the space has ended while the entity was frozen in it, so it
  /// leaves when it goes on.
  void left(bool in_dead_space = false);

 private:
  entity::EntityResult<> on_activate() override;
  void on_leave_space(entity::OnlineId space, entity::LeaveReason why) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;
  void tell_space();

  GameSpace* space_ = nullptr;
  std::weak_ptr<bool> there_;  // expired: the space has gone
  bool in_dead_space_ = false;
};

}  // namespace starbus::nodes::space
