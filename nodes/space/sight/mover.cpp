#include "nodes/space/sight/mover.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "entity/objects/entity.hpp"
#include "nodes/space/sight/now.hpp"
#include "nodes/space/sight/space_client.hpp"
#include "nodes/space/sight/space_sight.hpp"

namespace starbus::nodes::sight {

using movement::MoveCheck;

SightResult<> Mover::enters(SpaceSight& sight, aoi::EntityId id, std::shared_ptr<Subject> subject,
                            const movement::Position& at, const movement::MoveRules* rules) {
  Locomotion start = state_;
  start.position = at;
  start.velocity = {};
  start.at = static_cast<std::uint32_t>(now_ms());
  ++start.teleports;
  if (auto good = movement::check(start); !good) return good;
  std::optional<MoveCheck> check;
  if (rules != nullptr) {
    auto made = MoveCheck::create(*rules, start, epoch_ + 1, now_ms());
    if (!made) return made.error();
    check = std::move(*made);
    ++epoch_;
  }
  check_ = std::move(check);
  sight_ = &sight;
  id_ = id;
  subject_ = std::move(subject);
  state_ = start;
  subject_->set_move(state_);
  return {};
}

void Mover::leaves() {
  if (check_) epoch_ = check_->epoch();
  check_.reset();
  subject_ = nullptr;
  sight_ = nullptr;
}

void Mover::moved(const Locomotion& to) {
  state_ = to;
  subject_->set_move(state_);
  sight_->moved(id_, state_.position);
}

SightResult<> Mover::place(const Locomotion& to) {
  if (sight_ == nullptr) return SightErrc::no_space;
  if (check_) return SightErrc::clients_own;
  if (auto good = movement::check(to); !good) return good;
  Locomotion there = to;
  there.at = static_cast<std::uint32_t>(now_ms());
  there.teleports = state_.teleports;
  moved(there);
  return {};
}

SightResult<> Mover::teleport(const movement::Position& to) {
  if (sight_ == nullptr) return SightErrc::no_space;
  if (check_) {
    const auto correction = check_->teleport(to, now_ms());
    if (!correction) return correction.error();
    moved(check_->state());
    tell(*correction);
    return {};
  }
  if (auto good = movement::check(to); !good) return good;
  Locomotion there = state_;
  there.position = to;
  there.velocity = {};
  there.at = static_cast<std::uint32_t>(now_ms());
  ++there.teleports;
  moved(there);
  return {};
}

SightResult<> Mover::set_factor(double times) {
  if (!check_) return SightErrc::no_client_moves;
  return check_->set_factor(times, now_ms());
}

void Mover::client_begins() {
  if (check_ && check_->start().number != 0) check_->client_begins(now_ms());
}

/// Reports come in floods at worst: one line of the log says that a client sends nonsense.
movement::MoveAck Mover::take(const movement::MoveReport& report) {
  if (!check_) return {};
  const auto judged = check_->take(report, now_ms());
  if (!judged && check_->suspicion().count(movement::Violation::malformed) == 1) {
    spdlog::warn("sight: the client of {} reports a malformed move: {}", entity().label(),
                 judged.error().to_string());
  }
  if (judged && judged->verdict == movement::Verdict::accepted) moved(check_->state());
  if (judged && judged->verdict == movement::Verdict::corrected && sight_ != nullptr) {
    ++sight_->store().counters().corrections[static_cast<std::size_t>(judged->violation)];
  }
  if (judged && judged->correction) {
    moved(check_->state());
    tell(*judged->correction);
  }
  // Telling may have ended the session, and with it its stay.
  if (!check_) return {};
  return {check_->epoch(), check_->start().number};
}

/// Without a client nobody has to know: the next scene has the place and the epoch.
void Mover::tell(const movement::Correction& correction) {
  static_cast<void>(entity().client().call<&SpaceClient::correct>(correction));
}

entity::EntityResult<> Mover::on_before_move(entity::Encoder& out) {
  out.number(check_ ? check_->epoch() : epoch_);
  out.number(state_.heading);
  out.number(state_.pitch);
  out.byte(state_.mode);
  out.byte(state_.teleports);
  return {};
}

entity::EntityResult<> Mover::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr) return {};
  epoch_ = arrived->number<std::uint32_t>();
  state_.heading = arrived->number<float>();
  state_.pitch = arrived->number<float>();
  state_.mode = arrived->byte();
  state_.teleports = arrived->byte();
  if (!arrived->ok() || !movement::check(state_)) return entity::EntityErrc::bad_state;
  return {};
}

}  // namespace starbus::nodes::sight
