#include "nodes/hosting/departures.hpp"

#include <boost/asio/post.hpp>
#include <cassert>
#include <utility>

#include "entity/rpc/endpoint.hpp"

namespace starbus::nodes::entities {

using entity::EndReason;
using entity::Entity;
using entity::EntityErrc;
using entity::EntityState;
using entity::OnlineId;

void Departures::begin(Entity& entity, std::string target, Done done) {
  context_.thread.check();
  const std::uint64_t id = id_of(entity);
  const auto refuse = [&](bus::Errc code, std::string why) {
    boost::asio::post(
        context_.endpoint.loop(),
        [done = std::move(done), code, why = std::move(why)] { done(bus::Error(code, why)); });
  };
  const bool here = context_.entities->find(entity.online_id()) == &entity;
  if (!here || !names_.has(id) || context_.endpoint.channel_of(entity).empty()) {
    return refuse(bus::Errc::not_bound, entity.label());
  }
  if (names_.names_of(id) > 1) {
    return refuse(bus::Errc::move_refused, entity.label() + ": it has several names");
  }
  if (context_.draining) return refuse(bus::Errc::closed, "the node drains");
  if (leaving_.contains(id)) return refuse(bus::Errc::busy, entity.label() + " is moving");
  leaving_.emplace(id, Leaving{std::string(context_.endpoint.channel_of(entity)),
                               std::move(target),
                               std::move(done),
                               entity::MovedForm::snapshot,
                               {}});
  start(id);
}

void Departures::start(std::uint64_t id) {
  const Leaving& leaving = leaving_.at(id);
  const std::weak_ptr<bool> weak = context_.alive;
  context_.endpoint.move(
      leaving.name, leaving.target,
      [this, weak, id] { return weak.expired() ? bus::Bytes() : pack(id); },
      [this, weak, id](const bus::Result<>& moved) {
        if (!weak.expired()) on_moved(id, moved);
      });
}

/// An entity that cannot be packed has an empty state, which no target accepts: so it stays.
bus::Bytes Departures::pack(std::uint64_t id) {
  Leaving& leaving = leaving_.at(id);
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (entity == nullptr) return {};
  sync_.tell(*entity);  // the last changes that watchers get from this process
  auto state = context_.entities->freeze(*entity, leaving.form);
  leaving.packed = state.has_value();
  if (state) return std::move(*state);
  leaving.failure = state.error();
  return {};
}

void Departures::on_moved(std::uint64_t id, const bus::Result<>& moved) {
  const auto found = leaving_.find(id);
  assert(found != leaving_.end());
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (moved && entity != nullptr) entity->destroy(EndReason::moved);
  if (!moved && entity != nullptr) {
    // The bus may have begun the move, which gives the name another epoch.
    names_.raise_epoch(id, context_.endpoint.bus().epoch(found->second.name));
    if (entity->life() == EntityState::frozen) {
      if (moved.error() == bus::Errc::rolled_back) {  // the target may have sent changes
        sync_.begin_anew(*entity, context_.endpoint,
                         context_.endpoint.bus().epoch(found->second.name));
      }
      static_cast<void>(context_.entities->thaw(*entity));
      found->second.packed = false;
      // The target declares the properties otherwise: try again with their names.
      if (moved.error() == bus::Errc::version_mismatch &&
          found->second.form == entity::MovedForm::snapshot &&
          context_.entities->find(OnlineId{id}) != nullptr) {
        found->second.form = entity::MovedForm::by_name;
        return start(id);
      }
    }
  }
  const Leaving leaving = std::move(found->second);
  leaving_.erase(found);
  ++(moved ? context_.counters.moved_out : context_.counters.moves_failed);
  context_.on_move_ended();
  if (moved || leaving.failure == EntityErrc::ok) return leaving.done(moved);
  leaving.done(bus::Error(bus::Errc::move_refused, leaving.failure.to_string()));
}

bool Departures::packed(std::uint64_t id) const {
  const auto found = leaving_.find(id);
  return found != leaving_.end() && found->second.packed;
}

}  // namespace starbus::nodes::entities
