#include "entity/objects/acting.hpp"

#include "entity/objects/entity_manager.hpp"

namespace starbus::entity {

World& Acting::world() const {
  return acting_entity().home().world();
}

bus::ChannelId Acting::own_channel() const {
  return world().rpc().core().bindings.channel_id_of(acting_entity());
}

TimerWheel* Acting::acting_wheel() const {
  return acting_entity().life() == EntityState::ending ? nullptr : world().find_timers();
}

bool Acting::cancel(TimerId timer) {
  TimerWheel* const wheel = world().find_timers();
  return wheel != nullptr && wheel->cancel(timer);
}

rpc::Result<> Acting::spawn(rpc::Task<> task) {
  if (acting_entity().life() == EntityState::ending) {
    return rpc::Error(rpc::Errc::destroyed, acting_entity().label() + " ends: nothing was run");
  }
  return rpc::spawn(world().rpc(), acting_object(), std::move(task));
}

}  // namespace starbus::entity
