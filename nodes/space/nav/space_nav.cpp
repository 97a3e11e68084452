#include "nodes/space/nav/space_nav.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "nodes/space/nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

using std::chrono::nanoseconds;

/// Its properties are on their way, and not to be written.
bool is_frozen(const ActorNav& actor) {
  return actor.entity().life() != entity::EntityState::alive;
}

/// These come again with each try.
bool is_final(const Error& why) {
  return why == Errc::no_map || why == Errc::bad_map || why == Errc::bad_request;
}

}  // namespace

SpaceNav::SpaceNav(CrowdPort& port, space::NavType type, std::string where)
    : port_(port),
      type_(std::move(type)),
      where_(std::move(where)),
      obstacles_(type_.crowd.obstacles, where_) {
  slots_.resize(type_.crowd.walkers);
  for (std::uint32_t slot = type_.crowd.walkers; slot > 0; --slot) free_.push_back(slot);
}

SpaceNav::~SpaceNav() {
  for (const Slot& slot : slots_) {
    if (slot.actor != nullptr) slot.actor->space_ = nullptr;
  }
  if (crowd_) port_.destroy(crowd_);
}

// --- the crowd -----------------------------------------------------------------------------------

void SpaceNav::start(Done done) {
  started_done_ = std::move(done);
  create();
}

/// Of a space that has ended meanwhile the crowd is nobody's.
void SpaceNav::create() {
  creating_ = true;
  port_.create(type_.crowd,
               [this, &port = port_, weak = std::weak_ptr(alive_)](const Result<CrowdId>& crowd) {
                 if (!weak.expired()) return made(crowd);
                 if (crowd) port.destroy(*crowd);
               });
}

void SpaceNav::made(const Result<CrowdId>& crowd) {
  creating_ = false;
  if (crowd) crowd_ = *crowd;
  if (!started_) {
    started_ = crowd.has_value();
    const Done done = std::exchange(started_done_, nullptr);
    if (crowd) return done({});
    return done(Error(crowd.error().code, type_.declared + crowd.error().to_string()));
  }
  if (crowd) {
    spdlog::info("crowds: {} has its crowd again, with {} walkers", where_, walkers());
    lost_told_ = false;
  } else {
    lose(crowd.error());
  }
}

/// Whatever it knew is to be said again; commands stand in the properties of walkers.
void SpaceNav::lose(const Error& why) {
  if (!std::exchange(lost_told_, true)) {
    spdlog::warn("crowds: {} has lost its crowd, and asks for another: {}", where_,
                 why.to_string());
  }
  if (crowd_) {
    ++counts_.lost;
    port_.destroy(crowd_);
  }
  crowd_ = {};
  answer_.reset();
  ways_.clear();
  obstacles_.lost();
  held_.clear();
  again_at_ = now_ + (is_final(why) ? 25 * kCrowdAgain : kCrowdAgain);
  for (std::uint32_t at = 1; at <= slots_.size(); ++at) {
    Slot& slot = slots_[at - 1];
    slot.sent = 0;
    if (slot.actor == nullptr) continue;
    slot.add_at = {};
    mark(at);
    if (slot.actor->task() != NavTask::none) want_command(at);
  }
}

// --- walkers -------------------------------------------------------------------------------------

void SpaceNav::mark(std::uint32_t at) {
  if (!std::exchange(slots_[at - 1].dirty, true)) dirty_.push_back(at);
}

void SpaceNav::want_command(std::uint32_t at) {
  slots_[at - 1].command = true;
  if (!std::exchange(slots_[at - 1].queued, true)) commands_.push_back(at);
}

/// What it was asked in another space, or in another process, it is asked here.
void SpaceNav::enters(entity::Entity& entity) {
  obstacles_.enters(entity);
  auto* const actor = entity.component<ActorNav>();
  auto* const mover = entity.component<sight::Mover>();
  if (actor == nullptr || mover == nullptr) return;
  if (free_.empty()) {
    if (counts_.full++ == 0) {
      spdlog::error("crowds: {} has its {} walkers; {} and later ones stand: give its type more",
                    where_, slots_.size(), entity.label());
    }
    return;
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  Slot& slot = slots_[at - 1];
  slot.actor = actor;
  ++slot.generation;
  slot.teleport = false;
  slot.frozen = false;
  slot.command = false;
  slot.add_at = {};
  slot_of_[entity.online_id()] = at;
  actor->space_ = this;
  actor->mover_ = mover;
  actor->slot_ = at;
  actor->doing_ = nav::crowd::Doing::idle;
  actor->placed_ = mover->state().position;
  actor->teleports_ = mover->state().teleports;
  mark(at);
  if (actor->task() != NavTask::none) want_command(at);
}

void SpaceNav::leaves(entity::Entity& entity) {
  obstacles_.leaves(entity);
  const auto found = slot_of_.find(entity.online_id());
  if (found == slot_of_.end()) return;
  const std::uint32_t at = found->second;
  slot_of_.erase(found);
  Slot& slot = slots_[at - 1];
  slot.actor->space_ = nullptr;
  slot.actor->mover_ = nullptr;
  slot.actor->doing_ = nav::crowd::Doing::idle;
  slot.actor = nullptr;
  free_.push_back(at);
  mark(at);
}

void SpaceNav::commanded(ActorNav& actor) {
  slot(actor).add_at = {};  // where no ground was there may be some
  mark(actor.slot_);
  want_command(actor.slot_);
}

void SpaceNav::comes_anew(ActorNav& actor) {
  Slot& mine = slot(actor);
  ++mine.generation;
  mine.add_at = {};
  mark(actor.slot_);
  if (actor.task() != NavTask::none) want_command(actor.slot_);
}

void SpaceNav::placed(ActorNav& actor) {
  actor.placed_ = actor.mover_->state().position;
  actor.teleports_ = actor.mover_->state().teleports;
  if (actor.stands_passive()) return;
  slot(actor).teleport = true;
  slot(actor).add_at = {};
  slot(actor).command = false;
  mark(actor.slot_);
  actor.tell(actor.begin(NavTask::none));
}

bool SpaceNav::is_there(const ActorNav& actor) const {
  const Slot& mine = slots_[actor.slot_ - 1];
  return crowd_ && mine.sent == mine.generation;
}

/// A type that has no such kind has others for the same walkers: its first stands for it.
std::uint32_t SpaceNav::kind_of(const ActorNav& actor) const {
  const auto& kinds = type_.crowd.kinds;
  const auto found = std::ranges::find(kinds, actor.walker().kind, &WalkerKind::name);
  return found == kinds.end() ? 0 : static_cast<std::uint32_t>(found - kinds.begin());
}

// --- a tick --------------------------------------------------------------------------------------

void SpaceNav::tick(const space::SpaceTick& tick) {
  now_ = tick.time;
  passed_ += tick.passed;
  note_changes();
  if (const auto answer = std::exchange(answer_, std::nullopt)) apply(*answer);
  if (!crowd_) {
    if (started_ && !creating_ && now_ >= again_at_) create();
    return;
  }
  // Half a tick early is nearer to its time than half a tick late.
  const nanoseconds period = nanoseconds(std::chrono::seconds(1)) / type_.steps_per_second;
  if (!under_way_ && passed_ + tick.passed / 2 >= period) send();
}

/// Who was placed, by game code that moves its monsters itself or by a correction; and whose move
/// has begun, or was given up.
void SpaceNav::note_changes() {
  for (std::uint32_t at = 1; at <= slots_.size(); ++at) {
    const Slot& slot = slots_[at - 1];
    if (slot.actor == nullptr || slot.actor->stands_passive()) continue;
    note_frozen(at);
    if (!slot.frozen && slot.actor->was_placed()) placed(*slot.actor);
  }
}

/// It stands for as long as its move takes. If it stays, it goes on from where it is here: its
/// crowd may have let it take another step.
void SpaceNav::note_frozen(std::uint32_t at) {
  Slot& slot = slots_[at - 1];
  const bool frozen = is_frozen(*slot.actor);
  if (std::exchange(slot.frozen, frozen) == frozen) return;
  if (!frozen) {
    slot.teleport = true;
    mark(at);
  }
  if (slot.actor->task() != NavTask::none) want_command(at);
}

void SpaceNav::answered(std::uint64_t number, Result<Answer> answer) {
  if (number != number_) return;  // of a crowd that was lost
  under_way_ = false;
  if (!answer && answer.error() == Errc::busy) return hold();
  if (!answer) return lose(answer.error());
  ++counts_.answers;
  answer_ = *std::move(answer);
  ways_.take(std::exchange(answer_->ways, {}));
}

void SpaceNav::show(const entity::Entity& entity, nlohmann::json& row) {
  ways_.look(now_);
  const auto found = slot_of_.find(entity.online_id());
  if (found == slot_of_.end()) return;
  const Slot& mine = slots_[found->second - 1];
  row["nav"] = ways_.shown(*mine.actor, {found->second, mine.generation});
}

/// Nothing of the batch was done. It goes again with the next one, before what is new.
void SpaceNav::hold() {
  ++counts_.held;
  if (sent_.size() > kMaxHeld * (slots_.size() + 1)) {
    return lose(Error(Errc::busy, "the workers have had no room for long"));
  }
  held_ = std::move(sent_);
  sent_.clear();
  passed_ += sent_passed_;
}

ActorNav* SpaceNav::find(const WalkerName& name, std::uint32_t version) {
  if (name.slot == 0 || name.slot > slots_.size()) return nullptr;
  const Slot& slot = slots_[name.slot - 1];
  if (slot.actor == nullptr || slot.generation != name.generation ||
      slot.actor->version() != version || is_frozen(*slot.actor)) {
    ++counts_.stale;
    return nullptr;
  }
  return slot.actor;
}

/// Those who hear of an end may do anything: each row is looked up by itself. One that is frozen
/// for a move hears nothing: it is asked again if it goes on here.
void SpaceNav::apply(const Answer& answer) {
  for (const Moved& moved : answer.moved) apply(moved);
  for (const Refused& refused : answer.refused) apply(refused);
  for (const Ended& ended : answer.ended) {
    ActorNav* const actor = find(ended.walker, ended.version);
    if (actor == nullptr || actor->task() == NavTask::none) continue;
    ++counts_.ends;
    actor->finish(static_cast<NavOutcome>(ended.end), ended.stuck, {});
  }
}

void SpaceNav::apply(const Moved& moved) {
  ActorNav* const actor = find(moved.walker, moved.version);
  if (actor == nullptr || actor->stands_passive()) return;
  movement::Locomotion to = actor->mover_->state();
  to.position = {moved.at.x, moved.at.y, moved.at.z};
  to.velocity = {moved.velocity.x, moved.velocity.y, moved.velocity.z};
  if (moved.velocity.x != 0 || moved.velocity.y != 0) {
    to.heading = std::atan2(moved.velocity.y, moved.velocity.x);
  }
  actor->doing_ = moved.doing;
  if (!actor->mover_->place(to)) return;
  actor->placed_ = to.position;
  ++counts_.moves;
}

void SpaceNav::apply(const Refused& refused) {
  if (refused.obstacle != 0) return obstacles_.refused(refused.obstacle, refused.why);
  if (refused.walker.slot == 0 || refused.walker.slot > slots_.size()) return;
  Slot& slot = slots_[refused.walker.slot - 1];
  if (refused.gone && slot.sent == refused.walker.generation) {
    slot.sent = 0;
    slot.add_at = now_ + kAddAgain;
  }
  ActorNav* const actor = find(refused.walker, refused.version);
  if (actor == nullptr || actor->task() == NavTask::none) return;
  ++counts_.ends;
  const bool lost = refused.why == Errc::unknown_walker && !refused.gone;
  actor->finish(lost ? NavOutcome::target_lost : NavOutcome::refused, false, refused.why);
}

}  // namespace starbus::nodes::crowds
