// Entities that arrive from another process.
#include <spdlog/spdlog.h>

#include <utility>

#include "entity/properties/evolution.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::EntityErrc;
using entity::EntityResult;
using entity::OnlineId;

void EntityHost::take_in(const std::string& prefix) {
  bus::ArrivalHandlers handlers;
  handlers.accept = [this, weak = std::weak_ptr(alive_)](const std::string& name,
                                                         bus::ByteView state) -> bus::Result<> {
    if (weak.expired()) return bus::Error(bus::Errc::move_refused, "entities have ended here");
    const auto accepted = accept(name, state);
    if (!accepted) ++counters_.arrivals_refused;
    return accepted;
  };
  handlers.arrived = [this, weak = std::weak_ptr(alive_)](bus::Arrival& arrival) {
    return weak.expired() ? bus::Handlers() : arrived(arrival);
  };
  endpoint_.bus().on_arrival(prefix, std::move(handlers));
}

/// Makes the entity, but for its activation: what could go wrong does before it is owned here.
bus::Result<> EntityHost::accept(const std::string& name, bus::ByteView state) {
  if (drained_ || entities_->closed()) {
    return bus::Error(bus::Errc::move_refused, "the node drains");
  }
  // An object that is adopted is closed to all until then.
  if (!endpoint_.gates().known()) return bus::Error(bus::Errc::busy, "gates are not known yet");
  abandon(name);  // an earlier attempt, of which nothing came
  const auto prepared = entities_->prepare_moved(state);
  if (!prepared) {
    const bool other = prepared.error() == EntityErrc::other_schema;
    return bus::Error(other ? bus::Errc::version_mismatch : bus::Errc::move_refused,
                      prepared.error().to_string());
  }
  Arriving& arriving = arriving_[name];
  arriving.id = *prepared;
  const auto late = timers_.after(alarms_, std::chrono::milliseconds(kArrivalWait),
                                  [this, name] { abandon(name); });
  if (late) arriving.deadline = *late;
  return {};
}

void EntityHost::abandon(const std::string& name) {
  const auto found = arriving_.find(name);
  if (found == arriving_.end()) return;
  timers_.cancel(found->second.deadline);
  const OnlineId id = found->second.id;
  arriving_.erase(found);
  entities_->abandon_moved(id);
  if (drained_) begin_end();
}

/// It is owned here now: the source lets go of it, whatever becomes of it.
bus::Handlers EntityHost::arrived(const bus::Arrival& arrival) {
  const auto found = arriving_.find(arrival.name);
  EntityResult<Entity*> entity = EntityErrc::not_alive;
  if (found != arriving_.end()) {
    timers_.cancel(found->second.deadline);
    const OnlineId id = found->second.id;
    arriving_.erase(found);
    entity = enliven([&] { return entities_->activate_moved(id); });
  } else {  // its grant took longer than kArrivalWait
    entity = enliven([&] { return entities_->create_moved(arrival.state); });
  }
  if (entity) {
    settled_in(**entity, arrival.epoch);
    bus::Handlers handlers = endpoint_.adopt(arrival.name, **entity);
    if (drained_) begin_end();
    return handlers;
  }
  const auto stranded = std::make_shared<Stranded>(arrival.state, arrival.epoch);
  stranded_[arrival.name] = stranded;
  strand(arrival.name, *stranded, entity.error());
  if (drained_) begin_end();
  return Stranded::handlers(stranded);
}

/// What activated() sees then came from elsewhere.
EntityResult<Entity*> EntityHost::enliven(const std::function<EntityResult<Entity*>()>& activate) {
  activating_arrival_ = true;
  auto entity = activate();
  activating_arrival_ = false;
  return entity;
}

void EntityHost::settled_in(Entity& entity, bus::Epoch epoch) {
  ++counters_.moved_in;
  ++published_[static_cast<std::uint64_t>(entity.online_id())].names;
  owned(entity, epoch);
}

/// The source has let go of it, so what it was is kept here, and its name with it.
void EntityHost::strand(const std::string& name, Stranded& stranded,
                        const entity::EntityError& why) {
  ++counters_.arrivals_late;
  spdlog::error("entities: {} has arrived, and does not come to live: {}", name, why.to_string());
  const bool last = stranded.tries == kActivationTries || why == EntityErrc::ended || drained_;
  const auto again = timers_.after(alarms_, std::chrono::milliseconds(last ? 0 : kActivationRetry),
                                   [this, name, last] { last ? give_up(name) : try_again(name); });
  if (again) stranded.retry = *again;
}

void EntityHost::try_again(std::string name) {
  const auto found = stranded_.find(name);
  if (found == stranded_.end()) return;
  const std::shared_ptr<Stranded> stranded = found->second;
  ++stranded->tries;
  const auto entity = enliven([&] { return entities_->create_moved(stranded->state); });
  if (!entity) return strand(name, *stranded, entity.error());
  stranded_.erase(name);
  settled_in(**entity, stranded->epoch);
  spdlog::info("entities: {} lives, at the attempt {}", name, stranded->tries);
  stranded->go_on(endpoint_.adopt(name, **entity));
}

/// It is kept as it arrived, where entities are kept; made for that, and never alive.
void EntityHost::give_up(std::string name) {
  const auto found = stranded_.find(name);
  if (found == stranded_.end()) return;
  const std::shared_ptr<Stranded> stranded = std::move(found->second);
  stranded_.erase(found);
  timers_.cancel(stranded->retry);
  ++counters_.arrivals_lost;
  stranded->end(bus::Error(bus::Errc::not_bound, "it has arrived, and could not come to live"));
  const auto prepared = entities_->prepare_moved(stranded->state);
  if (!prepared) {
    spdlog::error("entities: {} has arrived, is given up, and cannot be saved: {}", name,
                  prepared.error().to_string());
    ++counters_.unsaved;
    return release({name});
  }
  Entity& entity = *entities_->find_prepared(*prepared);
  spdlog::error("entities: {} has arrived, and is given up: {}", name,
                is_saved(entity) ? "it is saved as it came" : "nothing of it is saved");
  published_[static_cast<std::uint64_t>(*prepared)].epoch = stranded->epoch.value;
  if (is_saved(entity)) {
    save(entity, {name}, [](const bus::Result<>&) {});
  } else {
    release({name});
  }
  published_.erase(static_cast<std::uint64_t>(*prepared));
  entities_->abandon_moved(*prepared);
}

void EntityHost::converted(Entity& entity, const entity::LoadReport& report) {
  for (const auto& removed : report.removed) {
    spdlog::warn("entities: {} comes from another build: {} is not declared here, and is dropped",
                 entity.label(), removed.path);
  }
}

}  // namespace starbus::nodes::entities
