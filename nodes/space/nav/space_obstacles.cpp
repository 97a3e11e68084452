#include "nodes/space/nav/space_obstacles.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace starbus::nodes::crowds {
namespace {

Point sum(const movement::Position& at, const Point& more) {
  return {at.x + more.x, at.y + more.y, at.z + more.z};
}

}  // namespace

SpaceObstacles::SpaceObstacles(std::uint32_t most, std::string where)
    : where_(std::move(where)), slots_(most) {}

void SpaceObstacles::enters(entity::Entity& entity) {
  auto* const obstacle = entity.component<NavObstacle>();
  auto* const mover = entity.component<sight::Mover>();
  if (obstacle == nullptr || mover == nullptr) return;
  const auto free = std::ranges::find(slots_, nullptr, &Slot::obstacle);
  if (free == slots_.end()) {
    if (!std::exchange(full_told_, true)) {
      spdlog::error(
          "crowds: {} has its {} obstacles; {} and later ones are in nobody's way: give the "
          "[space.nav] of its type more `obstacles`",
          where_, slots_.size(), entity.label());
    }
    return;
  }
  free->obstacle = obstacle;
  free->mover = mover;
  number_of_[entity.online_id()] = static_cast<std::uint32_t>(free - slots_.begin()) + 1;
}

void SpaceObstacles::leaves(entity::Entity& entity) {
  const auto found = number_of_.find(entity.online_id());
  if (found == number_of_.end()) return;
  Slot& slot = slots_[found->second - 1];
  slot.obstacle = nullptr;
  slot.mover = nullptr;
  number_of_.erase(found);
}

/// One that is frozen for a move stands where it stood.
void SpaceObstacles::ask(Batch& batch) {
  for (std::uint32_t number = 1; number <= slots_.size(); ++number) {
    Slot& slot = slots_[number - 1];
    std::optional<Block> wanted;
    if (slot.obstacle != nullptr && slot.obstacle->present()) {
      const NavBlock& like = slot.obstacle->block();
      const movement::Position& at = slot.mover->state().position;
      wanted = Block{number, {sum(at, like.low), sum(at, like.high)}, like.area};
    }
    if (wanted == slot.known) continue;
    slot.known = wanted;
    if (wanted) {
      batch.requests.emplace_back(*wanted);
    } else {
      batch.requests.emplace_back(Unblock{number});
    }
  }
}

void SpaceObstacles::lost() {
  for (Slot& slot : slots_) slot.known.reset();
}

void SpaceObstacles::refused(std::uint32_t number, const Error& why) const {
  if (number == 0 || number > slots_.size()) return;
  const NavObstacle* const obstacle = slots_[number - 1].obstacle;
  spdlog::warn("crowds: {}: {} is in nobody's way: {}", where_,
               obstacle == nullptr ? "an obstacle that has left" : obstacle->entity().label(),
               why.to_string());
}

}  // namespace starbus::nodes::crowds
