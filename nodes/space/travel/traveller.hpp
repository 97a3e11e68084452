/// The component of entities that travel between spaces, which a class of players declares:
///
///   class Player final
///       : public entity::EntityOf<Player, entity::Entity, entity::Components<space::Traveller>>,
///         public space::TravelHooks {
///     void on_travel_ended(const space::Result<space::Travelled>& end) override { ... }
///   };
///
/// It carries the ticket to the other process, has the seat held there before the entity is
/// accepted, and tells Travels (travels.hpp) when the entity ends. Belongs to the loop's thread and
/// to its entity. A ticket that is not valid there refuses the move.
#pragma once

#include <optional>
#include <string>

#include "aoi/types.hpp"
#include "entity/objects/component.hpp"
#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// Where a travel has led.
struct Travelled {
  SpaceName space;
  std::string node;  // HOST.NODE
};

/// A base of classes of entities that want to hear how their travels end, wherever that is: a
/// closure does not move with them.
class TravelHooks {
 public:
  /// It is in that space; or it is where it was, and why. In the process to which it has moved an
  /// error means that it is in no space: a hook of its own, or the end of the space, has refused
  /// its entry there.
  virtual void on_travel_ended(const Result<Travelled>& end) = 0;

 protected:
  ~TravelHooks() = default;
};

/// What an entity takes along.
struct Journey {
  SpaceName space;
  Ticket ticket;
  std::optional<aoi::Position> at;  // not set: the entrance of the space
  bool again = false;               // the first seat was lost at the end of its way
};

class Traveller final : public entity::ComponentOf<Traveller> {
 public:
  /// As operators see it; a name of the wire.
  static constexpr std::string_view kComponentName = "starbus_traveller";

  /// Its next move takes this along; nullopt: nothing.
  void take_along(std::optional<Journey> journey) { journey_ = std::move(journey); }
  /// What it has come with, once.
  std::optional<Journey> take_arrived() { return std::exchange(arrived_, std::nullopt); }

 private:
  entity::EntityResult<> on_activate() override;
  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;

  std::optional<Journey> journey_;
  std::optional<Journey> arrived_;
};

}  // namespace starbus::nodes::space
