// Entities that leave for another process, and that arrive from one.
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "entity/properties/evolution.hpp"
#include "nodes/entities/entity_host.hpp"

namespace starbus::nodes::entities {

using entity::EndReason;
using entity::Entity;
using entity::EntityErrc;
using entity::EntityState;
using entity::OnlineId;

// --- leaving -------------------------------------------------------------------------------------

void EntityHost::move(Entity& entity, std::string target, Done done) {
  const auto id = static_cast<std::uint64_t>(entity.online_id());
  const auto refuse = [&](bus::Errc code, std::string why) {
    boost::asio::post(endpoint_.loop(), [done = std::move(done), code, why = std::move(why)] {
      done(bus::Error(code, why));
    });
  };
  const auto published = published_.find(id);
  const bool here = entities_->find(entity.online_id()) == &entity;
  if (!here || published == published_.end() || endpoint_.channel_of(entity).empty()) {
    return refuse(bus::Errc::not_bound, entity.label());
  }
  if (published->second.names > 1) {
    return refuse(bus::Errc::move_refused, entity.label() + ": it has several names");
  }
  if (drained_) return refuse(bus::Errc::closed, "the node drains");
  if (leaving_.contains(id)) return refuse(bus::Errc::busy, entity.label() + " is moving");
  leaving_.emplace(id, Leaving{std::string(endpoint_.channel_of(entity)),
                               std::move(target),
                               std::move(done),
                               entity::MovedForm::snapshot,
                               {}});
  start_move(id);
}

void EntityHost::start_move(std::uint64_t id) {
  const Leaving& leaving = leaving_.at(id);
  endpoint_.move(
      leaving.name, leaving.target,
      [this, weak = std::weak_ptr(alive_), id] { return weak.expired() ? bus::Bytes() : pack(id); },
      [this, weak = std::weak_ptr(alive_), id](const bus::Result<>& moved) {
        if (!weak.expired()) left(id, moved);
      });
}

/// An entity that cannot be packed has no state, which no target takes: so it stays.
bus::Bytes EntityHost::pack(std::uint64_t id) {
  Leaving& leaving = leaving_.at(id);
  Entity* const entity = entities_->find(OnlineId{id});
  if (entity == nullptr) return {};
  auto state = entities_->freeze(*entity, leaving.form);
  leaving.packed = state.has_value();
  if (state) return std::move(*state);
  leaving.failure = state.error();
  return {};
}

void EntityHost::left(std::uint64_t id, const bus::Result<>& moved) {
  const auto found = leaving_.find(id);
  Entity* const entity = entities_->find(OnlineId{id});
  if (moved && entity != nullptr) entity->destroy(EndReason::moved);
  if (!moved && entity != nullptr && entity->life() == EntityState::frozen) {
    static_cast<void>(entities_->thaw(*entity));
    found->second.packed = false;
    // Declared otherwise there: once more, by the names of its properties.
    if (moved.error() == bus::Errc::version_mismatch &&
        found->second.form == entity::MovedForm::snapshot && entities_->find(OnlineId{id})) {
      found->second.form = entity::MovedForm::by_name;
      return start_move(id);
    }
  }
  const Leaving leaving = std::move(found->second);
  leaving_.erase(found);
  ++(moved ? counters_.moved_out : counters_.moves_failed);
  if (drained_ && leaving_.empty()) begin_end();
  if (moved || leaving.failure == EntityErrc::ok) return leaving.done(moved);
  leaving.done(bus::Error(bus::Errc::move_refused, leaving.failure.to_string()));
}

// --- arriving ------------------------------------------------------------------------------------

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
}

/// It is owned here now: the source lets go of it, whatever becomes of it.
bus::Handlers EntityHost::arrived(const bus::Arrival& arrival) {
  const auto found = arriving_.find(arrival.name);
  entity::EntityResult<Entity*> entity = EntityErrc::not_alive;
  if (found != arriving_.end()) {
    timers_.cancel(found->second.deadline);
    const OnlineId id = found->second.id;
    arriving_.erase(found);
    entity = entities_->activate_moved(id);
  } else {  // its grant took longer than kArrivalWait
    entity = entities_->create_moved(arrival.state);
  }
  if (!entity) {
    ++counters_.arrivals_lost;
    spdlog::error("entities: {} has arrived, and ends: {}", arrival.name,
                  entity.error().to_string());
    boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_), name = arrival.name] {
      if (!weak.expired()) endpoint_.bus().unbind(name, [](const bus::Result<>&) {});
    });
    return {};
  }
  ++counters_.moved_in;
  ++published_[static_cast<std::uint64_t>((*entity)->online_id())].names;
  return endpoint_.adopt(arrival.name, **entity);
}

void EntityHost::converted(Entity& entity, const entity::LoadReport& report) {
  for (const auto& removed : report.removed) {
    spdlog::warn("entities: {} comes from another build: {} is not declared here, and is dropped",
                 entity.label(), removed.path);
  }
}

}  // namespace starbus::nodes::entities
