#include "examples/arena/monster.hpp"

#include <algorithm>
#include <cmath>

#include "examples/arena/field.hpp"
#include "examples/arena/hero.hpp"

namespace arena {

using starbus::nodes::movement::Position;

namespace {

constexpr float kLeash = 25;     // m from home, at which it gives up
constexpr float kWander = 8;     // m from home
constexpr float kNear = 1;       // m, to which it follows
constexpr float kBite = 2;       // m: a follower that is near goes on at kNear and both radii
constexpr float kRadius = 0.5F;  // m
constexpr float kRecovery = 1;   // s

float distance(const Position& a, const Position& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

}  // namespace

const std::map<std::string, MonsterKind>& monster_kinds() {
  static const std::map<std::string, MonsterKind> kKinds = {
      {"rabbit", {10, 0, 4, 0, 0, 1}},
      {"wolf", {40, 8, 4.5F, 8, 1, 5}},
      {"bear", {90, 15, 4, 6, 4, 12}},
      {"spider", {25, 5, 5.5F, 10, 1, 4}},
  };
  return kKinds;
}

const MonsterKind* kind_of(const std::string& name) {
  const auto found = monster_kinds().find(name);
  return found == monster_kinds().end() ? nullptr : &found->second;
}

void Monster::become(const std::string& name, const MonsterKind& kind) {
  kind_ = &kind;
  state.kind = name;
  state.health = kind.health;
  pace(kind.speed / 2);
}

const Position& Monster::place() const {
  return component<sight::Mover>()->state().position;
}

void Monster::live(Field& field, float seconds) {
  if (kind_ == nullptr) return;
  if (!home_) home_ = place();
  recovery_ = std::max(0.0F, recovery_ - seconds);
  rest_ = std::max(0.0F, rest_ - seconds);
  auto* hero = field.entities().find_as<Hero>(chased_);
  const bool lost = hero == nullptr || hero->space() != space() || !hero->is_alive() ||
                    distance(place(), *home_) > kLeash;
  if (chased_ != entity::OnlineId::none && lost) {  // it gives up, goes home, and is well again
    chased_ = entity::OnlineId::none;
    goes_home_ = true;
    walk_to(*home_);
    state.health = kind_->health;
  }
  if (chased_ == entity::OnlineId::none) return choose(field);
  if (distance(place(), hero->component<sight::Mover>()->state().position) > kBite) {
    // No way led there: maybe one does by now.
    if (nav().task() == crowds::NavTask::none && rest_ == 0) chase(*hero);
    return;
  }
  if (recovery_ > 0) return;
  recovery_ = kRecovery;
  hero->hurt(kind_->damage);
}

// Whom to chase, or where to wander.
void Monster::choose(Field& field) {
  const bool walks = nav().task() != crowds::NavTask::none;
  goes_home_ = goes_home_ && walks;
  if (goes_home_) return;
  if (kind_->sight > 0) {
    if (const Hero* const near = field.nearest_hero(place(), kind_->sight)) return chase(*near);
  }
  if (walks || rest_ > 0) return;
  rest_ = static_cast<float>(2 + 4 * field.chance().unit());
  const double angle = 6.2831853 * field.chance().unit();
  const double away = kWander * field.chance().unit();
  walk_to({home_->x + static_cast<float>(away * std::cos(angle)),
           home_->y + static_cast<float>(away * std::sin(angle)), home_->z});
}

void Monster::chase(const Hero& hero) {
  chased_ = hero.online_id();
  rest_ = 1;
  pace(kind_->speed);
  static_cast<void>(nav().follow(hero, {.distance = kNear}));  // refused: it stands, and bites
}

void Monster::walk_to(const Position& to) {
  pace(kind_->speed / 2);
  static_cast<void>(nav().go_to({to.x, to.y, to.z}, {.partial = true}));
}

void Monster::pace(float speed) {
  if (nav().walker().speed == speed && nav().walker().radius == kRadius) return;
  static_cast<void>(nav().set({.radius = kRadius, .speed = speed}));
}

void Monster::hurt(Hero& by, std::int32_t damage) {
  if (state.health <= 0) return;
  state.health = std::max(0, state.health.get() - damage);
  if (state.health > 0) {
    if (kind_ != nullptr && kind_->damage > 0 && chased_ != by.online_id()) chase(by);
    return;
  }
  Field* const field = by.field();
  if (field == nullptr || kind_ == nullptr) return destroy();
  const auto gold = by.component<entity::Luck>()->draw("loot", [&](entity::RandomStream& stream) {
    return static_cast<std::int32_t>(stream.between(kind_->least_gold, kind_->most_gold));
  });
  by.loot(gold ? *gold : 0);
  field->killed(*this);
  destroy();
}

}  // namespace arena
