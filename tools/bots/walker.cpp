#include "tools/bots/walker.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tools/bots/paths.hpp"

namespace starbus::bots {
namespace {

/// Between two moves: as often as they are reported.
constexpr Nanos kStep = kSecond / 10;
/// Near enough to a goal, in m.
constexpr float kArrived = 0.2F;
/// So near to the middle of a portal it answers, in m.
constexpr float kPortalReach = 2.5F;
/// How long a portal may take until a bot goes elsewhere.
constexpr Nanos kPortalWait = 10 * kSecond;
/// How far from the speed of its class a move may be: places are rounded to centimetres and times
/// to two milliseconds, and who stood may have begun to go at any time since.
constexpr double kMoveShare = 1.5;
constexpr double kMoveSlack = 1;       // m
constexpr double kMostBetween = 5000;  // ms between two places

float way_between(const game::Place& from, const game::Place& to) {
  return std::hypot(to.x - from.x, to.y - from.y);
}

/// The type of a space: meadow of space/meadow-1, or of meadow-1; of dungeon.team7-1 the dungeon.
std::string_view type_of_space(std::string_view space) {
  space.remove_prefix(space.rfind('/') == std::string_view::npos ? 0 : space.rfind('/') + 1);
  return space.substr(0, space.find_first_of(".-"));
}

}  // namespace

Walker::Walker(Ground& ground, std::uint64_t bot, const std::string& account, game::Client& client,
               Memory& memory)
    : ground_(ground),
      bot_(bot),
      account_(account),
      memory_(memory),
      space_(seen_states(), *this, client, step) {}

void Walker::restart() {
  known_.clear();
  memory_.scene = 0;
  space_.restart(state_names() != nullptr);
}

bool Walker::learn(const game::ServerNames& names) {
  const game::Taken taken = space_.learn(names);
  if (taken == game::Taken::ok || taken == game::Taken::waits) return true;
  count(ground_.figures.troubles, "names: " + std::string(name_of(taken)));
  return false;
}

void Walker::note(std::string_view what, std::string_view detail) {
  ground_.log.add({bot_, what, memory_.gate, memory_.space, detail});
}

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
  if (taken == game::Taken::ok || taken == game::Taken::waits) {
    check_moves();
    return true;
  }
  const std::string trouble = "sight: " + std::string(name_of(taken));
  count(ground_.figures.troubles, trouble);
  note("trouble", trouble);
  walks_ = false;
  return false;
}

void Walker::on_scene(const game::Scene* scene) {
  walks_ = false;
  known_.clear();
  memory_.scene = 0;
  if (scene == nullptr) return;
  if (!scene->space.empty()) {
    note("scene", scene->space);
    memory_.space = scene->space;
    memory_.scene = next_turn();
  }
  if (in_portal_at_ != 0 && !scene->space.empty()) {
    ground_.figures.travel.latency.record(now_nanos() - in_portal_at_);
  }
  in_portal_at_ = 0;
  goes_to_portal_ = false;
  if (ground_.script.travel && travel_at_ == kNever) {
    travel_at_ = ground_.after(ground_.script.travel->every);
  }
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
  note(teleport ? "teleported" : "corrected");
  goes_to_portal_ = false;
  in_portal_at_ = 0;
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

// --- whom it sees --------------------------------------------------------------------------------

void Walker::on_entered(const game::Seen& seen) {
  ++ground_.figures.sight.entered;
  Known known{seen.id(), now_nanos(), {}, 0, {}};
  for (const StateTable& each : ground_.script.states) {
    if (each.of != seen.class_name()) continue;
    known.speed = each.speed;
    known.credit = static_cast<double>(each.credit.count());
  }
  if (seen.move() != nullptr) known.move = *seen.move();
  known_[seen.index()] = known;
}

void Walker::on_changed(const game::Seen& seen, const game::Changed&) {
  known_[seen.index()].changed_at = now_nanos();
}

void Walker::on_left(const game::Seen& seen) {
  ++ground_.figures.sight.left;
  known_.erase(seen.index());
}

void Walker::check_moves() {
  for (auto& [index, known] : known_) {
    const game::Seen* const seen = known.speed ? space_.at(index) : nullptr;
    const game::Locomotion* const move = seen == nullptr ? nullptr : seen->move();
    if (move == nullptr || (known.move && known.move->at == move->at)) continue;
    if (known.move && known.move->teleports == move->teleports) {
      const double between =
          std::min(kMostBetween,
                   std::max(100.0, static_cast<double>(game::since(move->at, known.move->at))));
      const double way = game::distance(known.move->position, move->position);
      const double most = kMoveSlack + *known.speed * (kMoveShare * between + known.credit) / 1000;
      if (way > most) {
        ground_.violations.add({(now_nanos() - ground_.started) / 1'000'000, bot_, account_,
                                Broken::jump, seen->class_name() + " " + std::to_string(known.id),
                                "at most " + std::to_string(most) + " m in " +
                                    std::to_string(static_cast<int>(between)) + " ms",
                                std::to_string(way) + " m"});
      }
    }
    known.move = *move;
  }
}

std::uint64_t Walker::near(const std::string& of, double reach) {
  const game::Locomotion* const own = space_.own();
  if (own == nullptr || memory_.scene == 0) return 0;
  std::uint64_t found = 0;
  double nearest = reach;
  space_.each([&](const game::Seen& seen) {
    if (seen.class_name() != of || seen.move() == nullptr) return;
    const double way = way_between(own->position, seen.move()->position);
    if (way > nearest) return;
    nearest = way;
    found = seen.id();
  });
  return found;
}

void Walker::look(std::vector<Sighting>& all) const {
  if (memory_.scene == 0) return;
  space_.each([&](const game::Seen& seen) {
    std::size_t which = 0;
    const StateValues* const values = values_of(seen, which);
    const auto known = known_.find(seen.index());
    if (values == nullptr || known == known_.end()) return;
    all.push_back({which, seen.id(), bot_, *values, known->second.changed_at});
  });
}

// --- where it goes -------------------------------------------------------------------------------

/// To one of that class that it sees, or to none.
bool Walker::goes_toward() {
  const std::string& of = ground_.script.walk->toward;
  if (of.empty() || ground_.chance() < 0.5) return false;
  std::vector<game::Place> places;
  space_.each([&](const game::Seen& seen) {
    if (seen.class_name() == of && seen.move() != nullptr) {
      places.push_back(seen.move()->position);
    }
  });
  if (places.empty()) return false;
  goal_ = places[ground_.between(0, places.size() - 1)];
  return true;
}

void Walker::choose_portal() {
  const Travel& travel = *ground_.script.travel;
  travel_at_ = ground_.after(travel.every);
  std::vector<const Travel::Portal*> here;
  for (const Travel::Portal& each : travel.portals) {
    if (each.space == type_of_space(memory_.space)) here.push_back(&each);
  }
  if (here.empty()) return;
  const Travel::Portal& to = *here[ground_.between(0, here.size() - 1)];
  goal_ = {static_cast<float>(to.x), static_cast<float>(to.y), 0};
  goes_to_portal_ = true;
  travel_at_ = kNever;  // until it has arrived
}

void Walker::check_travel(Nanos now) {
  if (!ground_.script.travel) return;
  if (in_portal_at_ != 0 && now - in_portal_at_ > kPortalWait) {
    ++ground_.figures.travel.unanswered;
    note("trouble", "a portal has not answered");
    in_portal_at_ = 0;
    goes_to_portal_ = false;
    travel_at_ = ground_.after(ground_.script.travel->every);
  }
  if (now >= travel_at_) choose_portal();
}

/// Evenly over the circle around where it has come in.
void Walker::choose_goal() {
  if (goes_toward()) return;
  const double angle = 2 * std::numbers::pi * chance();
  const double away = ground_.script.walk->range * std::sqrt(chance());
  goal_ = middle_;
  goal_.x += static_cast<float>(away * std::cos(angle));
  goal_.y += static_cast<float>(away * std::sin(angle));
}

bool Walker::act(Nanos now) {
  if (!walks_ || now < step_at_) return false;
  if (ground_.stage != Stage::playing) {  // it stands where it is
    step_at_ = kNever;
    return false;
  }
  step_at_ += kStep;
  if (step_at_ < now) step_at_ = now + kStep;  // a client that hung goes on, it does not catch up
  const game::Locomotion* const own = space_.own();
  if (own == nullptr) return false;
  check_travel(now);
  if (goes_to_portal_ && way_between(own->position, goal_) < kPortalReach) {
    if (in_portal_at_ == 0) {
      in_portal_at_ = now;
      note("portal");
      ++ground_.figures.travel.begun;
    }
    if (way_between(own->position, goal_) < kArrived) return false;
  }
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
