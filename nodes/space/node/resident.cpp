#include "nodes/space/node/resident.hpp"

#include <utility>

#include "entity/objects/entity.hpp"
#include "nodes/space/node/space.hpp"

namespace starbus::nodes::space {

void Resident::enters(GameSpace& space) {
  space_ = &space;
  there_ = space.alive_;
  in_dead_space_ = false;
}

void Resident::left(bool in_dead_space) {
  space_ = nullptr;
  in_dead_space_ = in_dead_space;
}

/// At the beginning of the entity's end, however it ends: its own hooks come after that.
entity::EntityResult<> Resident::on_activate() {
  return at_end([this] { tell_space(); });
}

void Resident::on_leave_space(entity::OnlineId, entity::LeaveReason) {
  tell_space();
}

void Resident::tell_space() {
  GameSpace* const space = std::exchange(space_, nullptr);
  if (space != nullptr && !there_.expired())
    space->take_out(entity(), GameSpace::Way::with_its_entity);
}

/// Its move was given up: it goes on here, in the space that has gone meanwhile. It leaves that
/// when its other parts have woken, too.
entity::EntityResult<> Resident::on_after_move(entity::Decoder* arrived) {
  if (arrived != nullptr || !std::exchange(in_dead_space_, false)) return {};
  const auto soon = after(entity::Time{0}, [this] { entity().home().leave_space(entity()); });
  if (!soon) return entity::EntityErrc::no_timers;
  return {};
}

}  // namespace starbus::nodes::space
