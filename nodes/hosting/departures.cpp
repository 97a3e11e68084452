// Entities that leave for another process.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

using entity::EndReason;
using entity::Entity;
using entity::EntityErrc;
using entity::EntityState;
using entity::OnlineId;

void EntityHost::begin_move(Entity& entity, std::string target, Done done) {
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
  sync_.tell(*entity);  // the last that those who watch get from here
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
  if (!moved && entity != nullptr) {  // it has another epoch now, if the bus had begun to move it
    const auto published = published_.find(id);
    if (published != published_.end()) {
      published->second.epoch =
          std::max(published->second.epoch, endpoint_.bus().epoch(found->second.name).value);
    }
  }
  if (!moved && entity != nullptr && entity->life() == EntityState::frozen) {
    if (moved.error() == bus::Errc::rolled_back) {  // the target may have told others what it did
      sync_.begin_anew(*entity, endpoint_, endpoint_.bus().epoch(found->second.name));
    }
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
  if (drained_) begin_end();
  if (moved || leaving.failure == EntityErrc::ok) return leaving.done(moved);
  leaving.done(bus::Error(bus::Errc::move_refused, leaving.failure.to_string()));
}

}  // namespace starbus::nodes::entities
