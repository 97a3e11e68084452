/// The component of an entity that moves in spaces: where it is, and who says so.
///
///   class Player final : public entity::EntityOf<Player, entity::Entity,
///                                                entity::Components<sight::Mover, sight::Watcher>>
///   class Wolf final : public entity::EntityOf<Wolf, entity::Entity,
///                                              entity::Components<sight::Mover>>
///   mover.place(there);                       // a wolf: the game says where it is
///   mover.teleport({.x = 10, .y = 20});       // a player: its client is told
///
/// A player that has come with a ticket and has a Watcher is moved by its client: its reports are
/// judged by a MoveCheck, with the rules of the space. All others are moved by the game. The place
/// is that in aoi(), too. Belongs to the loop's thread and to its entity; travels with it. Failures
/// are values.
#pragma once

#include <memory>
#include <optional>

#include "aoi/types.hpp"
#include "entity/objects/component.hpp"
#include "nodes/space/movement/move_check.hpp"
#include "nodes/space/sight/error.hpp"
#include "nodes/space/sight/subject.hpp"

namespace starbus::nodes::sight {

class SpaceSight;

class Mover final : public entity::ComponentOf<Mover> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "starbus_mover";

  /// Where it is, or was in its last space.
  const Locomotion& state() const { return state_; }
  bool is_in_space() const { return sight_ != nullptr; }
  /// Its client moves it.
  bool client_moves() const { return check_.has_value(); }
  /// Null: no client moves it. For suspicion() above all.
  const movement::MoveCheck* check() const { return check_ ? &*check_ : nullptr; }

  /// It is there now; `at` and `teleports` are not looked at. Errors: no_space; clients_own;
  /// movement's not_finite, too_far.
  SightResult<> place(const Locomotion& to);
  /// It is at another place, and nothing is shown between the two. Also of one that a client moves,
  /// which is told. Errors: no_space; movement's not_finite, too_far, outside.
  SightResult<> teleport(const movement::Position& to);
  /// As MoveCheck::set_factor. Errors: no_client_moves; movement's bad_option.
  SightResult<> set_factor(double times);

 private:
  friend class SpaceSight;
  friend class Watcher;

  /// `rules`: of one that a client moves; null otherwise. Errors: as of MoveCheck::create.
  SightResult<> enters(SpaceSight& sight, aoi::EntityId id, std::shared_ptr<Subject> subject,
                       const movement::Position& at, const movement::MoveRules* rules);
  void leaves();
  /// Its client knows nothing of the reports before: a page that was loaded again.
  void client_begins();
  /// Judges what its client reports.
  movement::MoveAck take(const movement::MoveReport& report);
  void tell(const movement::Correction& correction);
  void moved(const Locomotion& to);

  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;

  SpaceSight* sight_ = nullptr;  // which outlives its stay there
  aoi::EntityId id_;
  std::shared_ptr<Subject> subject_;
  Locomotion state_;
  std::optional<movement::MoveCheck> check_;
  std::uint32_t epoch_ = 0;  // of the latest check, here or where it was before
};

}  // namespace starbus::nodes::sight
