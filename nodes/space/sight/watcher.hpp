/// The component of a player whose client is told what is around it: has the view of that client,
/// and the methods that it calls.
///
/// Give it to the classes of players, with a Mover (mover.hpp); it does the rest when its player
/// enters a space with a ticket. A client that plays it in no space is told so. Belongs to the
/// loop's thread and to its entity; the number of the scene travels with it. Cannot fail.
#pragma once

#include <memory>
#include <string>

#include "aoi/options.hpp"
#include "entity/client/ids.hpp"
#include "entity/objects/component.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/space/movement/move_report.hpp"
#include "nodes/space/sight/sight_view.hpp"

namespace starbus::nodes::sight {

class SpaceSight;

/// How one player watches its space.
struct WatchOptions {
  /// Whom it sees. Without a limit it has that of kDefaultView, and never more than half of
  /// kMostSeen.
  aoi::SensorOptions sensor = {};
  ViewOptions view = {};
  std::string setup = {};  ///< of its scene: at most kSceneSetup
};

class Watcher final : public entity::ComponentOf<Watcher>, public entity::rpc::Callable<Watcher> {
 public:
  /// As operators see it.
  static constexpr std::string_view kComponentName = "starbus_watcher";

  /// Its client has loaded the scene of that number, and is told of what it sees from now on.
  /// False: it is not the present one.
  bool ready(entity::rpc::Caller& from, std::uint32_t scene);
  /// Its client has moved it. The answer says which report was looked at last.
  movement::MoveAck move(entity::rpc::Caller& from, const movement::MoveReport& report);
  static constexpr auto kRpc = entity::rpc::methods(
      "starbus_space", entity::rpc::method<&Watcher::ready>("ready", entity::rpc::own_client),
      entity::rpc::method<&Watcher::move>("move", entity::rpc::own_client));

  const SightView& view() const { return view_; }

 private:
  friend class SpaceSight;

  /// movement's bad_option: what `how` does not allow.
  SightResult<> enters(SpaceSight& sight, aoi::EntityId id, aoi::SensorId sensor,
                       const WatchOptions& how);
  void leaves();
  void came_in_sight(aoi::EntityId target, std::shared_ptr<Subject> subject);
  void went_out_of_sight(aoi::EntityId target) { view_.leaves(target); }
  /// Its client is told what there is to tell, if it may be told now.
  void tell();
  bool may_tell();
  void say(bus::Bytes body);
  Scene scene() const;
  void look_when_idle();

  entity::EntityResult<> on_activate() override;
  void on_deactivate(entity::EndReason reason) override;
  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;

  SpaceSight* sight_ = nullptr;  // which outlives its stay there
  aoi::EntityId id_;
  aoi::SensorId sensor_;
  SightView view_ = *SightView::create();
  std::string setup_;
  bool crowded_ = false;  // somebody in sight had no room in the view
  entity::sessions::Run run_{};
  // Not of timers(), which would keep the entity from moving: it looks on while that is frozen.
  entity::TimerOwner idle_;
};

}  // namespace starbus::nodes::sight
