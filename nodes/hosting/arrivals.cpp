#include "nodes/hosting/arrivals.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <cassert>
#include <chrono>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/client_links.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::EntityErrc;
using entity::EntityResult;
using entity::OnlineId;

void Arrivals::take_in(const std::string& prefix) {
  const std::weak_ptr<bool> weak = context_.alive;
  bus::ArrivalHandlers handlers;
  handlers.accept = [this, weak](const std::string& name, bus::ByteView state) -> bus::Result<> {
    if (weak.expired()) return bus::Error(bus::Errc::move_refused, "entities have ended here");
    const auto accepted = accept(name, state);
    if (!accepted) ++context_.counters.arrivals_refused;
    return accepted;
  };
  handlers.arrived = [this, weak](bus::Arrival& arrival) {
    return weak.expired() ? bus::Handlers() : on_owned(arrival);
  };
  context_.endpoint.bus().on_arrival(prefix, std::move(handlers));
}

/// Creates the entity without activating it, so that most failures come before it is owned here.
bus::Result<> Arrivals::accept(const std::string& name, bus::ByteView state) {
  context_.thread.check();
  if (context_.draining || context_.entities->closed()) {
    return bus::Error(bus::Errc::move_refused, "the node drains");
  }
  // Until the gates are known, an adopted object refuses all clients.
  if (!context_.endpoint.gates().known()) {
    return bus::Error(bus::Errc::busy, "gates are not known yet");
  }
  abandon(name);  // an earlier attempt that was never granted
  const auto prepared = context_.entities->prepare_moved(state);
  if (!prepared) {
    const bool other = prepared.error() == EntityErrc::other_schema;
    const bool busy = prepared.error() == EntityErrc::busy;
    return bus::Error(other  ? bus::Errc::version_mismatch
                      : busy ? bus::Errc::busy
                             : bus::Errc::move_refused,
                      prepared.error().to_string());
  }
  const auto late =
      context_.timers.after(context_.alarms, kArrivalWait, [this, name] { abandon(name); });
  if (!late) {  // a grant that never comes would keep it for ever
    context_.entities->abandon_moved(*prepared);
    return bus::Error(bus::Errc::busy, late.error().to_string());
  }
  accepted_[name] = {*prepared, *late};
  return {};
}

void Arrivals::abandon(const std::string& name) {
  const auto found = accepted_.find(name);
  if (found == accepted_.end()) return;
  context_.timers.cancel(found->second.deadline);
  const OnlineId id = found->second.id;
  accepted_.erase(found);
  context_.entities->abandon_moved(id);
  context_.on_move_ended();
}

void Arrivals::abandon_accepted() {
  while (!accepted_.empty()) abandon(std::string(accepted_.begin()->first));
}

/// The source frees the entity now, whatever happens here.
bus::Handlers Arrivals::on_owned(const bus::Arrival& arrival) {
  context_.thread.check();
  const auto found = accepted_.find(arrival.name);
  EntityResult<Entity*> entity = EntityErrc::not_alive;
  if (found != accepted_.end()) {
    context_.timers.cancel(found->second.deadline);
    const OnlineId id = found->second.id;
    accepted_.erase(found);
    entity = activate([&] { return context_.entities->activate_moved(id); });
  } else {  // the grant took longer than kArrivalWait
    entity = activate([&] { return context_.entities->create_moved(arrival.state); });
  }
  if (entity) {
    settle_in(**entity, arrival.epoch);
    bus::Handlers handlers = context_.endpoint.adopt(arrival.name, **entity);
    if (context_.on_arrived) context_.on_arrived(**entity);
    context_.on_move_ended();
    return handlers;
  }
  const auto stranded = std::make_shared<Stranded>(arrival.state, arrival.epoch);
  stranded_[arrival.name] = stranded;
  strand(arrival.name, *stranded, entity.error());
  context_.on_move_ended();
  return Stranded::handlers(stranded);
}

EntityResult<Entity*> Arrivals::activate(const Activate& create) {
  assert(!activating_);
  activating_ = true;
  auto entity = create();
  activating_ = false;
  return entity;
}

void Arrivals::settle_in(Entity& entity, bus::Epoch epoch) {
  ++context_.counters.moved_in;
  names_.add_owned(entity, epoch);
  context_.clients->arrived(entity, epoch);
}

/// The source has freed the entity, so its state and its name are kept here.
void Arrivals::strand(const std::string& name, Stranded& stranded, const entity::EntityError& why) {
  ++context_.counters.arrivals_late;
  spdlog::error("entities: {} has arrived, but its activation failed: {}", name, why.to_string());
  const bool last =
      stranded.tries == kActivationTries || why == EntityErrc::ended || context_.draining;
  const auto again =
      context_.timers.after(context_.alarms, last ? 0ms : kActivationRetry,
                            [this, name, last] { last ? give_up(name) : try_again(name); });
  if (again) {
    stranded.retry = *again;
    return;
  }
  // The wheel is full. Given up at once it is saved, and its name is free for another attempt.
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive), name] {
    if (!weak.expired()) give_up(name);
  });
}

void Arrivals::try_again(std::string name) {
  const auto found = stranded_.find(name);
  if (found == stranded_.end()) return;
  const std::shared_ptr<Stranded> stranded = found->second;
  ++stranded->tries;
  const auto entity = activate([&] { return context_.entities->create_moved(stranded->state); });
  if (!entity) return strand(name, *stranded, entity.error());
  stranded_.erase(name);
  settle_in(**entity, stranded->epoch);
  spdlog::info("entities: {} is activated, at attempt {}", name, stranded->tries);
  bus::Handlers handlers = context_.endpoint.adopt(name, **entity);
  if (context_.on_arrived) context_.on_arrived(**entity);
  stranded->go_on(std::move(handlers));
}

void Arrivals::give_up(std::string name) {
  const auto found = stranded_.find(name);
  if (found == stranded_.end()) return;
  const std::shared_ptr<Stranded> stranded = std::move(found->second);
  stranded_.erase(found);
  context_.timers.cancel(stranded->retry);
  ++context_.counters.arrivals_lost;
  stranded->end(
      bus::Error(bus::Errc::not_bound, "the entity has arrived, but could not be activated"));
  save_as_arrived(name, *stranded, {name});
}

void Arrivals::save_as_arrived(const std::string& name, const Stranded& stranded,
                               std::vector<std::string> names) {
  saving_ = true;
  const auto prepared = context_.entities->prepare_moved(stranded.state);
  saving_ = false;
  if (!prepared) {
    spdlog::error("entities: {} has arrived, is given up, and cannot be saved: {}", name,
                  prepared.error().to_string());
    ++context_.counters.unsaved;
    return names_.release(names);
  }
  const auto id = static_cast<std::uint64_t>(*prepared);
  Entity& entity = *context_.entities->find_prepared(*prepared);
  names_.set_epoch(id, stranded.epoch);
  const bool saves = saver_.saves(entity);
  spdlog::error("entities: {} has arrived, and is given up: {}", name,
                saves ? "its state is saved as it arrived" : "its type has no saved properties");
  if (saves) {
    saver_.save_last(entity, std::move(names));
  } else {
    names_.release(names);
  }
  names_.forget(id);
  context_.entities->abandon_moved(*prepared);
}

void Arrivals::give_up_stranded() {
  while (!stranded_.empty()) give_up(std::string(stranded_.begin()->first));
}

void Arrivals::lose_all() {
  abandon_accepted();
  for (const auto& [name, stranded] : std::exchange(stranded_, {})) {
    context_.timers.cancel(stranded->retry);
    stranded->end(bus::Error(bus::Errc::lease_lost));
    ++context_.counters.fenced;
    save_as_arrived(name, *stranded, {});
  }
}

}  // namespace starbus::nodes::entities
