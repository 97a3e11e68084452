/// The component of an entity that walks in the crowd of its space: monsters, and players, of whom
/// the others keep away and whom they chase.
///
///   class Wolf final : public entity::EntityOf<Wolf, entity::Entity,
///                                              entity::Components<sight::Mover, ActorNav>>
///   struct WolfState : entity::Properties<WolfState> {
///     STARBUS_FIELDS(entity::StateOf<crowds::ActorNav> actor_nav{this};)
///   };
///   nav.set({.kind = "small", .speed = 4});                   // in on_init
///   nav.go_to({40, 12}, {.distance = 1});                     // in on_activate, or at any time
///   nav.ends().add([](const NavEnd& end) { ... });
///
/// What it is asked stands in its properties, with a version: so it is asked again in another
/// space, in another process, and of another crowd after the death of a node. Each command ends
/// once: by itself, or as `cancelled` by the one after it, cancel, teleport, or when the game
/// places it by its Mover. Nothing that a crowd says of an older version moves it.
///
/// Belongs to the loop's thread and to its entity; travels with it. An entity without a Mover walks
/// nowhere. Failures are values.
#pragma once

#include <cstdint>
#include <string>

#include "entity/events/dispatcher.hpp"
#include "entity/objects/component_state.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/nav/messages.hpp"
#include "nodes/space/sight/mover.hpp"

namespace starbus::nodes::crowds {

class SpaceNav;

/// What an entity is asked to do.
enum class NavTask : std::uint8_t { none, go_to, approach, follow };
std::string_view name_of(NavTask task);

/// How a command ends. The first ones are those of nav::crowd::End.
enum class NavOutcome : std::uint8_t {
  arrived,
  partial,
  unreachable,
  target_lost,
  cancelled,
  refused,  ///< it could not be begun: NavEnd::why
};
std::string_view name_of(NavOutcome outcome);

/// Each accepted command ends in one.
struct NavEnd {
  NavTask task = NavTask::none;
  std::uint32_t version = 0;
  NavOutcome outcome = NavOutcome::arrived;
  bool stuck = false;  ///< partial: others were in the way for too long
  Error why = {};      ///< of `refused`
};

/// What a walker is like.
struct NavWalker {
  std::string kind = "";       ///< of the space's type; empty, or one that it has not: its first
  float radius = 0.4F;         ///< m
  float height = 2;            ///< m
  float speed = 3;             ///< m/s
  float acceleration = 8;      ///< m/s2
  std::uint32_t priority = 0;  ///< 0..nav::crowd::kMaxPriority
  bool passive = false;        ///< the game moves it; players whose clients do are, in any case
};

/// How far a command leads.
struct NavWish {
  float distance = 0;    ///< m; as of nav::crowd::Request
  bool partial = false;  ///< as near as can be, if no way leads there
};

class ActorNav final : public entity::ComponentOf<ActorNav> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "actor_nav";

  struct State : entity::Struct<State> {
    STARBUS_FIELDS(entity::Field<std::uint32_t> version{*this};  // of the latest command
                   entity::Field<NavTask> task{*this};           // none: it has ended
                   entity::Field<float> x{*this};                // m; of go_to
                   entity::Field<float> y{*this};                //
                   entity::Field<float> z{*this};                //
                   entity::Field<std::uint64_t> target{*this};   // online id, of the others
                   entity::Field<float> distance{*this};         // m
                   entity::Field<bool> partial{*this};)
  };
  /// It travels, and nobody else sees it.
  static constexpr entity::Flags kStateFlags = entity::Flags::none;

  /// What it is like from now on: it comes to its crowd anew. bad_request: a value that is no
  /// number or out of its range.
  Result<> set(const NavWalker& walker);
  const NavWalker& walker() const { return walker_; }

  // Commands: their version, which NavEnd has. no_crowd, passive, bad_request.

  /// To a place.
  Result<std::uint32_t> go_to(const Point& goal, const NavWish& wish = {});
  /// Until it is within the distance of the other one; 0: touching it. Also same_walker. A target
  /// that is not in the crowd ends it as target_lost.
  Result<std::uint32_t> approach(const entity::Entity& target, const NavWish& wish = {});
  /// The same for as long as it is not cancelled.
  Result<std::uint32_t> follow(const entity::Entity& target, const NavWish& wish = {});
  /// True if it was asked something. Afterwards nothing moves it but others that push it aside.
  bool cancel();
  /// Mover::teleport, which cancels. Errors: of that.
  Result<> teleport(const Point& to);

  NavTask task() const { return state().task.get(); }
  std::uint32_t version() const { return state().version.get(); }
  /// As its crowd has said last; idle outside of one.
  nav::crowd::Doing doing() const { return doing_; }
  /// A crowd moves it: false also of passive ones, and while its crowd has no place for it.
  bool walks() const;
  entity::Dispatcher<NavEnd>& ends() { return ends_; }

 private:
  friend class SpaceNav;

  Result<std::uint32_t> command(NavTask task, const Point& goal, std::uint64_t target,
                                const NavWish& wish);
  Result<std::uint32_t> chase(NavTask task, const entity::Entity& target, const NavWish& wish);
  /// Another version; returns the end of what it was asked, which is told last: those who hear it
  /// may command, or end it.
  NavEnd begin(NavTask task);
  void finish(NavOutcome outcome, bool stuck, const Error& why);
  void tell(const NavEnd& end);
  bool stands_passive() const;
  /// Somebody else has placed it since its crowd did.
  bool was_placed() const;

  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;

  NavWalker walker_;
  entity::Dispatcher<NavEnd> ends_;
  nav::crowd::Doing doing_ = nav::crowd::Doing::idle;
  // While it is in a space with a crowd.
  SpaceNav* space_ = nullptr;
  sight::Mover* mover_ = nullptr;
  std::uint32_t slot_ = 0;
  movement::Position placed_;  // by its crowd, or where it came
  std::uint8_t teleports_ = 0;
};

}  // namespace starbus::nodes::crowds
