#include "nodes/hosting/departures.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <cassert>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/client_links.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/mail/entity_notices.hpp"

namespace starbus::nodes::entities {

using entity::EndReason;
using entity::Entity;
using entity::EntityErrc;
using entity::EntityState;
using entity::OnlineId;

void Departures::begin(OnlineId online_id, std::string target, const MoveOptions& how, Done done) {
  context_.thread.check();
  const auto id = static_cast<std::uint64_t>(online_id);
  const auto refuse = [&](bus::Errc code, std::string why) {
    boost::asio::post(
        context_.endpoint.loop(),
        [done = std::move(done), code, why = std::move(why)] { done(bus::Error(code, why)); });
  };
  Entity* const entity = context_.entities->find_here(online_id);
  if (entity == nullptr) return refuse(bus::Errc::not_bound, "the entity has ended");
  if (leaving_.contains(id)) return refuse(bus::Errc::busy, entity->label() + " is moving");
  if (!names_.has(id) || context_.endpoint.channel_of(*entity).empty()) {
    return refuse(bus::Errc::not_bound, entity->label());
  }
  if (names_.names_of(id) > 1) {
    return refuse(bus::Errc::move_refused, entity->label() + ": it has several names");
  }
  if (context_.draining) return refuse(bus::Errc::closed, "the node drains");
  if (names_.doubt_since(id)) {
    return refuse(bus::Errc::busy, entity->label() + " has come back from a move, and its store " +
                                       "has not said yet whether it is the latest");
  }
  if (const std::size_t closures = entity->timer_closures(); closures > 0 && !how.leave_behind) {
    ++context_.counters.moves_busy;
    return refuse(bus::Errc::busy, entity->label() + ": " + std::to_string(closures) +
                                       " closures of timers(); use steps, or leave_behind");
  }
  Leaving leaving{std::string(context_.endpoint.channel_of(*entity)), std::move(target), how,
                  std::move(done)};
  leaving.deadline = context_.timers.present() + how.wait;
  leaving_.emplace(id, std::move(leaving));
  wait_or_start(id);
}

// --- waiting for what cannot travel --------------------------------------------------------------

void Departures::wait_or_start(std::uint64_t id) {
  const Leaving& leaving = leaving_.at(id);
  Entity& entity = *context_.entities->find_here(OnlineId{id});
  const std::size_t busy =
      leaving.how.leave_behind ? entity.rpc_owned_calls() : entity.rpc_under_way();
  if (busy == 0) return start(id);
  if (context_.timers.present() < leaving.deadline) return wait(entity);
  std::string why = entity.label() + ": " + std::to_string(busy) + " coroutines or calls";
  std::string_view before = ": ";
  for (const std::string& name : entity.rpc_running(kNamedWaiters)) {
    why.append(std::exchange(before, ", ")).append(name);
  }
  // Not within begin(): its caller may not expect an answer yet.
  boost::asio::post(context_.endpoint.loop(),
                    [this, weak = std::weak_ptr(context_.alive), id, why = std::move(why)] {
                      const bool there = !weak.expired() && leaving_.contains(id);
                      if (!there || leaving_.at(id).begun) return;
                      ++context_.counters.moves_busy;
                      finish(id, bus::Error(bus::Errc::busy, why));
                    });
}

/// Until its last coroutine has ended, or the time is over.
void Departures::wait(Entity& entity) {
  const std::uint64_t id = id_of(entity);
  entity.when_rpc_idle([this, weak = std::weak_ptr(context_.alive), id] {
    boost::asio::post(context_.endpoint.loop(), [this, weak, id] {
      if (!weak.expired()) woken(id);
    });
  });
  Leaving& leaving = leaving_.at(id);
  context_.timers.cancel(leaving.alarm);
  const auto late = context_.timers.at(alarms_, leaving.deadline, [this, id] { woken(id); });
  if (late) {
    leaving.alarm = *late;
  } else {  // the wheel is full: it does not wait
    leaving.deadline = entity::Time::min();
    wait_or_start(id);
  }
}

/// A late wake-up finds that the move has begun, or ended, or waits for something new.
void Departures::woken(std::uint64_t id) {
  const auto found = leaving_.find(id);
  if (found == leaving_.end() || found->second.begun) return;
  if (context_.entities->find(OnlineId{id}) != nullptr) wait_or_start(id);
}

void Departures::ended(std::uint64_t id) {
  const auto found = leaving_.find(id);
  if (found == leaving_.end() || found->second.begun) return;
  finish(id, bus::Error(bus::Errc::not_bound, "the entity has ended"));
}

void Departures::give_up_waiting() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [id, leaving] : leaving_) {
    if (!leaving.begun) waiting.push_back(id);
  }
  for (const std::uint64_t id : waiting) {
    if (leaving_.contains(id)) finish(id, bus::Error(bus::Errc::closed, "the node drains"));
  }
}

// --- moving --------------------------------------------------------------------------------------

void Departures::start(std::uint64_t id) {
  Leaving& leaving = leaving_.at(id);
  leaving.begun = true;
  leaving.failure = {};
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
  if (names_.names_of(id) > 1) {
    leaving.failure = entity::EntityError(EntityErrc::not_movable, "it has several names");
    return {};
  }
  sync_.tell(*entity);  // the last changes that watchers get from this process
  auto state = context_.entities->freeze(*entity, {.form = leaving.form,
                                                   .target = leaving.target,
                                                   .space = leaving.how.space,
                                                   .leave_behind = leaving.how.leave_behind});
  leaving.packed = state.has_value();
  if (state && context_.mail != nullptr) context_.mail->frozen(id);
  if (state && context_.notices != nullptr) context_.notices->leave(id);
  if (state) return std::move(*state);
  leaving.failure = state.error();
  return {};
}

void Departures::on_moved(std::uint64_t id, const bus::Result<>& moved) {
  Leaving& leaving = leaving_.at(id);
  Entity* const entity = context_.entities->find_here(OnlineId{id});
  if (moved && entity != nullptr) {
    count_left_behind(*entity);
    entity->destroy(EndReason::moved);
  }
  if (!moved && entity != nullptr && goes_on_here(*entity, leaving, moved.error())) return;
  if (moved || leaving.failure == EntityErrc::ok) return finish(id, moved);
  const bool busy = leaving.failure == EntityErrc::busy;
  if (busy) ++context_.counters.moves_busy;
  finish(id,
         bus::Error(busy ? bus::Errc::busy : bus::Errc::move_refused, leaving.failure.to_string()));
}

/// True: the move is tried again.
bool Departures::goes_on_here(Entity& entity, Leaving& leaving, const bus::Error& why) {
  const std::uint64_t id = id_of(entity);
  const bus::Epoch epoch = context_.endpoint.bus().epoch(leaving.name);
  if (why == bus::Errc::rolled_back) context_.on_rolled_back(entity);
  // The bus may have begun the move, which gives the name another epoch.
  names_.raise_epoch(id, epoch);
  if (entity.life() == EntityState::frozen) {
    if (why == bus::Errc::rolled_back) {  // the target may have sent changes
      sync_.begin_anew(entity, context_.endpoint, epoch);
    }
    leaving.packed = false;
    // Before its hooks, which may speak to its client.
    context_.clients->goes_on(entity, epoch, why == bus::Errc::rolled_back);
    static_cast<void>(context_.entities->thaw(entity));
    sync_.goes_on(entity);
    if (context_.mail != nullptr) context_.mail->owned(id);
    if (context_.notices != nullptr) context_.notices->owned(id);
  }
  if (context_.entities->find(OnlineId{id}) == nullptr) return false;
  // The target declares the properties otherwise: try again with their names.
  const bool by_name =
      why == bus::Errc::version_mismatch && leaving.form == entity::MovedForm::snapshot;
  // A coroutine has begun between the wait and the freeze: wait again.
  const bool busy = leaving.failure == EntityErrc::busy && !context_.draining &&
                    entity.timer_closures() == 0 && context_.timers.present() < leaving.deadline;
  if (!by_name && !busy) return false;
  if (by_name) leaving.form = entity::MovedForm::by_name;
  leaving.begun = false;
  wait_or_start(id);
  return true;
}

void Departures::count_left_behind(const Entity& entity) {
  const std::size_t coroutines = entity.rpc_under_way();
  const std::size_t closures = entity.timer_closures();
  if (coroutines + closures == 0) return;
  context_.counters.left_behind += coroutines + closures;
  spdlog::warn("entities: {} has moved: {} coroutines and {} closures have ended here",
               entity.label(), coroutines, closures);
}

void Departures::finish(std::uint64_t id, const bus::Result<>& result) {
  const auto found = leaving_.find(id);
  assert(found != leaving_.end());
  const Leaving leaving = std::move(found->second);
  context_.timers.cancel(leaving.alarm);
  leaving_.erase(found);
  ++(result ? context_.counters.moved_out : context_.counters.moves_failed);
  // Told first: a drain that waits for this move ends the entity, and rolled_back must be heard of
  // while there is something to do about it.
  const std::weak_ptr<bool> alive = context_.alive;
  leaving.done(result);
  if (!alive.expired()) context_.on_move_ended();
}

bool Departures::packed(std::uint64_t id) const {
  const auto found = leaving_.find(id);
  return found != leaving_.end() && found->second.packed;
}

}  // namespace starbus::nodes::entities
