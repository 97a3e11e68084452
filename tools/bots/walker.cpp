#include "tools/bots/walker.hpp"

#include <cmath>
#include <numbers>

#include "tools/bots/paths.hpp"

namespace starbus::bots {
namespace {

/// Between two moves: as often as they are reported.
constexpr Nanos kStep = kSecond / 10;
/// Near enough to a goal, in m.
constexpr float kArrived = 0.2F;

float way_between(const game::Place& from, const game::Place& to) {
  return std::hypot(to.x - from.x, to.y - from.y);
}

}  // namespace

Walker::Walker(Ground& ground, std::uint64_t bot, game::Client& client)
    : ground_(ground), bot_(bot), space_({}, *this, client, step) {}

game::Locomotion Walker::step(const game::Locomotion& from, const Step& step) {
  game::Locomotion to = from;
  const float way = way_between(from.position, {step.x, step.y, 0});
  if (way <= 0) return to;
  const float part = std::min(1.0F, step.metres / way);
  to.position.x += (step.x - from.position.x) * part;
  to.position.y += (step.y - from.position.y) * part;
  to.heading = std::atan2(step.y - from.position.y, step.x - from.position.x);
  return to;
}

bool Walker::take(game::ByteView body) {
  ++ground_.figures.sight.bodies;
  ground_.figures.sight.bytes += body.size();
  const game::Taken taken = space_.take(body, game::Client::now());
  if (taken == game::Taken::ok || taken == game::Taken::waits) return true;
  count(ground_.figures.troubles, "sight: " + std::string(name_of(taken)));
  walks_ = false;
  return false;
}

void Walker::on_scene(const game::Scene* scene) {
  walks_ = false;
  if (scene == nullptr) return;
  ++ground_.figures.sight.scenes;
  space_.ready(*scene);
  if (!scene->move || !ground_.script.walk) return;
  walks_ = true;
  middle_ = goal_ = scene->move->position;
  step_at_ = now_nanos() + static_cast<Nanos>(ground_.chance() * static_cast<double>(kStep));
  rests_until_ = 0;
}

void Walker::on_corrected(const game::Locomotion&, const game::Locomotion& to, bool teleport) {
  ++(teleport ? ground_.figures.sight.teleports : ground_.figures.sight.corrections);
  if (teleport) middle_ = to.position;
  goal_ = to.position;  // it may have stood in its way
}

bool Walker::hear(const game::Call& call) {
  return space_.hear(call, game::Client::now()) != game::Heard::unknown;
}

double Walker::chance() {
  const auto& paths = ground_.script.walk->paths;
  if (!paths) return ground_.chance();
  return chance_of(*paths, static_cast<std::uint32_t>(bot_), draws_++);
}

/// Evenly over the circle around where it has come in.
void Walker::choose_goal() {
  const double angle = 2 * std::numbers::pi * chance();
  const double away = ground_.script.walk->range * std::sqrt(chance());
  goal_ = middle_;
  goal_.x += static_cast<float>(away * std::cos(angle));
  goal_.y += static_cast<float>(away * std::sin(angle));
}

bool Walker::act(Nanos now) {
  if (!walks_ || now < step_at_) return false;
  step_at_ += kStep;
  if (step_at_ < now) step_at_ = now + kStep;  // a client that hung goes on, it does not catch up
  const game::Locomotion* const own = space_.own();
  if (own == nullptr) return false;
  if (way_between(own->position, goal_) < kArrived) {
    if (rests_until_ == 0) {
      const double rest = static_cast<double>(ground_.script.walk->rest / milliseconds(1));
      rests_until_ = now + static_cast<Nanos>(2e6 * rest * ground_.chance());
    }
    if (now < rests_until_) return false;
    rests_until_ = 0;
    choose_goal();
  }
  const auto metres =
      static_cast<float>(ground_.script.walk->speed * static_cast<double>(kStep) / 1e9);
  space_.move({goal_.x, goal_.y, metres}, game::Client::now());
  return true;
}

}  // namespace starbus::bots
