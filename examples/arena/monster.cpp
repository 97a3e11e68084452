#include "examples/arena/monster.hpp"

#include <algorithm>
#include <cmath>

#include "examples/arena/field.hpp"
#include "examples/arena/hero.hpp"

namespace arena {

using starbus::nodes::movement::Position;

namespace {

constexpr float kLeash = 25;    // m from home, at which it gives up
constexpr float kWander = 8;    // m from home
constexpr float kBite = 1.5F;   // m
constexpr float kRecovery = 1;  // s

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
}

const Position& Monster::place() const {
  return component<sight::Mover>()->state().position;
}

void Monster::live(Field& field, float seconds) {
  if (kind_ == nullptr) return;
  if (!home_known_) {
    home_ = place();
    home_known_ = true;
  }
  recovery_ = std::max(0.0F, recovery_ - seconds);
  auto* hero = field.entities().find_as<Hero>(chased_);
  const bool lost = hero == nullptr || hero->space() != space() || !hero->is_alive() ||
                    distance(place(), home_) > kLeash;
  if (chased_ != entity::OnlineId::none && lost) {  // it gives up, goes home, and is well again
    chased_ = entity::OnlineId::none;
    goal_ = home_;
    state.health = kind_->health;
  }
  if (chased_ == entity::OnlineId::none) {
    choose(field);
    if (goal_) go(*goal_, kind_->speed / 2 * seconds);
    if (goal_ && distance(place(), *goal_) < 0.1F) goal_.reset();
    rest_ = std::max(0.0F, rest_ - seconds);
    return;
  }
  const auto& there = hero->component<sight::Mover>()->state().position;
  if (distance(place(), there) > kBite) return go(there, kind_->speed * seconds);
  if (recovery_ > 0) return;
  recovery_ = kRecovery;
  hero->hurt(kind_->damage);
}

// Whom to chase, or where to wander.
void Monster::choose(Field& field) {
  const bool goes_home = goal_ && distance(place(), home_) > kWander;
  if (goes_home) return;
  if (kind_->sight > 0) {
    if (Hero* const near = field.nearest_hero(place(), kind_->sight)) {
      chased_ = near->online_id();
      goal_.reset();
      return;
    }
  }
  if (goal_ || rest_ > 0) return;
  rest_ = static_cast<float>(2 + 4 * field.chance().unit());
  const double angle = 6.2831853 * field.chance().unit();
  const double away = kWander * field.chance().unit();
  goal_ = Position{home_.x + static_cast<float>(away * std::cos(angle)),
                   home_.y + static_cast<float>(away * std::sin(angle)), home_.z};
}

void Monster::go(Position to, float metres) {
  auto* const mover = component<sight::Mover>();
  starbus::nodes::movement::Locomotion next = mover->state();
  const float left = distance(next.position, to);
  if (left < 0.01F) return;
  const float part = std::min(1.0F, metres / left);
  next.heading = std::atan2(to.y - next.position.y, to.x - next.position.x);
  next.position.x += (to.x - next.position.x) * part;
  next.position.y += (to.y - next.position.y) * part;
  static_cast<void>(mover->place(next));
}

void Monster::hurt(Hero& by, std::int32_t damage) {
  if (state.health <= 0) return;
  state.health = std::max(0, state.health.get() - damage);
  if (state.health > 0) {
    if (kind_ != nullptr && kind_->damage > 0) chased_ = by.online_id();
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
