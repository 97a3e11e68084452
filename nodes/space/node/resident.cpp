#include "nodes/space/node/resident.hpp"

#include <utility>

#include "entity/objects/entity.hpp"
#include "nodes/space/node/space.hpp"
#include "nodes/space/node/space_host.hpp"

namespace starbus::nodes::space {

void Resident::enters(GameSpace& space) {
  space_ = &space;
  there_ = space.alive_;
  dead_.reset();
}

void Resident::left(const GameSpace* dead, bool player) {
  space_ = nullptr;
  dead_.reset();
  if (dead != nullptr) dead_ = std::make_unique<Dead>(Dead{dead->name(), dead->type(), player});
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
  if (arrived != nullptr || dead_ == nullptr) return {};
  const auto soon = after(entity::Time{0}, [this] {
    const std::unique_ptr<Dead> dead = std::exchange(dead_, nullptr);
    if (dead == nullptr || !entity().home().leave_space(entity()) || !dead->player) return;
    if (auto* const host = world().find<SpaceHost>()) {
      host->left_over(entity(), dead->name, dead->type);
    }
  });
  if (!soon) return entity::EntityErrc::no_timers;
  return {};
}

}  // namespace starbus::nodes::space
