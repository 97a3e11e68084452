// What lives in the fields beside heroes: sheep, which wander around the point where they were
// spawned.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "entity/chance/random_stream.hpp"
#include "entity/entities.hpp"
#include "nodes/space/sight/mover.hpp"

namespace game {

namespace entity = starbus::entity;
namespace movement = starbus::nodes::movement;
namespace sight = starbus::nodes::sight;

struct SheepState : entity::Properties<SheepState> {
  STARBUS_FIELDS(Field<std::string, all_clients> kind{*this};)
};

/// Moved by the game. Belongs to the loop's thread of its space.
class Sheep final
    : public entity::EntityOf<Sheep, entity::Entity, entity::Components<sight::Mover>> {
 public:
  SheepState state;

  /// One tick of its life: it goes to a point near its home, rests, and chooses another one.
  void live(float seconds, entity::RandomStream& chance) {
    auto* const mover = component<sight::Mover>();
    sight::Locomotion next = mover->state();
    if (!home_) home_ = goal_ = next.position;
    rest_ -= seconds;
    if (rest_ > 0) return;
    const float x = goal_.x - next.position.x;
    const float y = goal_.y - next.position.y;
    const float left = std::hypot(x, y);
    if (left < 0.1F) {
      rest_ = static_cast<float>(1 + 4 * chance.unit());
      goal_.x = home_->x + static_cast<float>(kWander * (2 * chance.unit() - 1));
      goal_.y = home_->y + static_cast<float>(kWander * (2 * chance.unit() - 1));
      return;
    }
    const float part = std::min(1.0F, kSpeed * seconds / left);
    next.position.x += x * part;
    next.position.y += y * part;
    next.heading = std::atan2(y, x);
    static_cast<void>(mover->place(next));
  }

 private:
  static constexpr float kSpeed = 1.5F;  // m/s
  static constexpr double kWander = 6;   // m from home, in x and in y

  std::optional<movement::Position> home_;
  movement::Position goal_;
  float rest_ = 0;  // s
};

}  // namespace game
