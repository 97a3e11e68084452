#include "nodes/hosting/entity_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "base/wall_clock.hpp"
#include "entity/properties/evolution.hpp"
#include "entity/properties/root.hpp"
#include "nodes/hosting/guarded_options.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::EndReason;
using entity::Entity;
using entity::OnlineId;
using entity::rpc::PassTime;
using std::chrono::milliseconds;

entity::EntityManager::DrawId draw_from(manager::IdSource& ids) {
  return [&ids]() -> entity::IdentityResult<OnlineId> {
    const bus::Result<std::uint64_t> id = ids.next();
    if (!id) return entity::IdentityErrc::no_ids;
    return OnlineId{*id};
  };
}

/// In milliseconds, by the clock that all processes share.
std::uint64_t started_at(const HostOptions& options) {
  if (!options.cluster_clock) return wall_ms();
  return static_cast<std::uint64_t>(options.cluster_clock() / milliseconds(1));
}
}  // namespace

EntityHost::EntityHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                       std::string_view node, HostOptions options)
    : sink_(options.sink),
      options_(guarded_options(std::move(options), sink_)),
      context_{endpoint, timers},
      world_(endpoint, timers),
      ids_(endpoint, timers, options_.counter),
      sync_({.sink = options_.sink,
             .client = [this](Entity& entity,
                              entity::Root& root) { return clients_.tell(entity, root); },
             .unsaved = options_.save ? [this](std::uint64_t id) { saver_.mark(id); }
                                      : std::function<void(std::uint64_t)>()}),
      clients_(context_, sync_),
      names_(context_, sync_),
      saver_(context_, names_, options_),
      mail_(context_, saver_, static_cast<bool>(options_.save), options_.mail_retry),
      notices_(context_, mail_, options_.notices),
      departures_(context_, names_, sync_),
      arrivals_(context_, names_, saver_),
      entries_(context_, names_, options_.load, static_cast<bool>(options_.save)),
      entry_control_(entries_, types_),
      admin_({context_, types_, names_, departures_, sync_, saver_, mail_, notices_, clients_,
              [this] { return waits_for(); }}) {
  world_.add<EntityHost>(*this);
  world_.set_mover([this](Entity& entity, std::string process, Done moved) {
    if (!moved) {
      moved = [label = entity.label(), process](const bus::Result<>& end) {
        if (end) return;
        spdlog::warn("entities: {} does not move to {}: {}", label, process,
                     end.error().to_string());
      };
    }
    departures_.begin(entity.online_id(), std::move(process), {},
                      as_unit(UnitKind::completion, std::move(moved)));
  });
  world_.add<entity::ClientPort>(clients_);
  context_.clients = &clients_;
  entities_ = std::make_unique<entity::EntityManager>(
      types_, entity::PersistentIdSource(node, started_at(options_)),
      options_.draw ? options_.draw : draw_from(ids_),
      entity::EntityOptions{.most = options_.most,
                            .observer = this,
                            .timers = &timers,
                            .world = &world_,
                            .cluster_clock = options_.cluster_clock});
  context_.entities = entities_.get();
  context_.mail = &mail_;
  context_.notices = &notices_;
  context_.on_move_ended = [this] {
    if (context_.draining) begin_end();
  };
  context_.on_named = [this](std::uint64_t id) { saver_.mark(id); };
  context_.on_rolled_back = [this](Entity& entity) { saver_.come_back(entity); };
  context_.on_save_ended = [this] {
    if (context_.draining) settle_soon();
  };
  if (options_.take_in.empty()) arrivals_.take_in("entity/");
  for (const std::string& prefix : options_.take_in) arrivals_.take_in(prefix);
  if (options_.tick > milliseconds(0)) {
    const auto set = timers.every(context_.alarms, options_.tick, options_.tick,
                                  entity::CatchUp::once, [this] { tick(); });
    if (set) tick_timer_ = *set;
  }
}

EntityHost::~EntityHost() {
  context_.thread.check();
  if (ticker_ != nullptr) ticker_->schedule().remove(ticking_);
  entities_.reset();
  saver_.report_lost();
}

void EntityHost::declared(const entity::TypeInfo& type, const TypeOptions& options, bool by_name,
                          bool arrives) {
  context_.types[&type] = options;
  if (!by_name && !options.stays) {
    spdlog::warn(
        "entities: {} cannot arrive from another process, as its constructor takes more "
        "than the key: declare it with a function that makes it, or with .stays = true",
        type.name());
  }
  const bool taken_in = options_.take_in.empty() && by_name && arrives && !options.stays;
  if (taken_in && type.name() != "entity") arrivals_.take_in(std::string(type.name()) + '/');
}

bus::Result<> EntityHost::join(Node& node) {
  context_.thread.check();
  if (!types_.refused().empty()) {
    return bus::Error(bus::Errc::bad_config,
                      "two types of entities are named " + types_.refused().front());
  }
  if (!mail_.refused().empty()) {
    return bus::Error(bus::Errc::bad_config, mail_.refused() +
                                                 ": it has an Inbox and is not saved; set "
                                                 "HostOptions::save");
  }
  if (!options_.draw) {
    node.before_ready("entity ids", [this](Done done) { wait_for_ids(std::move(done)); });
  }
  node.before_ready("entries of entities", [this](Done done) { open_entries(std::move(done)); });
  node.on_drain("entities", [this](Done done) { drain(std::move(done)); });
  node.on_state([this](NodeState state) {
    if (state == NodeState::starting) lose_all();
  });
  admin_.add_to(node);
  world_.add<Node>(node);
  return options_.tick > milliseconds(0) ? tick_with(node.ticks()) : bus::Result<>();
}

/// In the same tick as the other periodic work of the node, after the work that writes properties.
bus::Result<> EntityHost::tick_with(Ticker& ticker) {
  const auto added =
      ticker.add({.name = "entities", .phase = entity::TickPhase::sync, .interval = options_.tick},
                 [this](const entity::Tick&) { tick(); });
  if (!added) return bus::Error(bus::Errc::bad_config, added.error().to_string());
  context_.timers.cancel(tick_timer_);
  ticker_ = &ticker;
  ticking_ = *added;
  return {};
}

/// Waits for a first id, which is not used: it shows that ids are available.
void EntityHost::wait_for_ids(Done done) {
  ids_.wait_next(kIdWait, [this, weak = std::weak_ptr(context_.alive),
                           done = std::move(done)](const bus::Result<std::uint64_t>& id) mutable {
    if (weak.expired()) return;
    if (id) return done({});
    spdlog::warn("entities: no online ids yet: {}", manager::why_no_id(id.error()));
    wait_for_ids(std::move(done));
  });
}

std::string EntityHost::channel_of(OnlineId id) {
  return "entity/" + text_of(id);
}

// --- ticks ---------------------------------------------------------------------------------------

/// A tick that is still telling goes on by itself; due saves do not wait for its end.
void EntityHost::tick() {
  context_.thread.check();
  if (!sending_) return send_changes();
  const bus::ShownName::Scope shown(context_.endpoint.work().activity(), "tick of entities", "");
  saver_.save_due();
}

/// Takes a bounded part of a turn of the loop, so that messages wait for one part and not for all.
void EntityHost::send_changes() {
  const bus::ShownName::Scope shown(context_.endpoint.work().activity(), "tick of entities", "");
  sending_ = sync_.pass(*entities_, kTickEntities, PassTime(kTickTime));
  if (!sending_) return saver_.save_due();
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive)] {
    if (!weak.expired()) send_changes();
  });
}

// --- the end of entities -------------------------------------------------------------------------

void EntityHost::activated(Entity& entity) {
  saver_.learn_type(entity);
  sync_.add(entity, arrivals_.activating());
}

/// Only `busy` refuses one that is new: those that this process owns already must be made.
entity::EntityResult<> EntityHost::admits(const entity::TypeInfo& type, bool named) {
  if (arrivals_.owned_already()) return {};
  const auto admitted = saver_.admits(type, named);
  if (admitted) return {};
  return entity::EntityError(entity::EntityErrc::busy, admitted.error().detail);
}

void EntityHost::publish_now(OnlineId id, std::string name, Done done) {
  const Entity* const entity = entities_->find(id);
  const bool new_name = entity != nullptr && !names_.has(id_of(*entity));
  const auto admitted = new_name ? saver_.admits(entity->type(), true) : bus::Result<>();
  if (admitted) return names_.publish(id, std::move(name), std::move(done));
  boost::asio::post(context_.endpoint.loop(),
                    [done = std::move(done), admitted] { done(admitted.error()); });
}

/// An entity keeps its names until it is saved, so that no other process takes a name and loads an
/// older state.
void EntityHost::ending(Entity& entity, EndReason reason) {
  const std::uint64_t id = id_of(entity);
  mail_.ending(id);
  notices_.leave(id);
  if (!departures_.packed(id)) clients_.ending(entity, reason);
  if (!names_.has(id) || names_.fenced(id) || !saver_.saves(entity)) return;
  if (reason == EndReason::moved || reason == EndReason::fenced) return;
  if (departures_.packed(id)) return;  // the target may own the name by now
  names_.retire(entity);
}

/// What a lost lease fences, and what may have moved, is saved under the version of its last owned
/// name: the store refuses it if a later owner has written.
void EntityHost::finished(Entity& entity, EndReason reason) {
  const std::uint64_t id = id_of(entity);
  const bool fenced = reason == EndReason::fenced || names_.fenced(id);
  const bool moved = reason == EndReason::moved;
  if (!fenced && !moved && !departures_.packed(id)) sync_.tell(entity);
  if (options_.sink != nullptr) options_.sink->gone(entity, reason);
  sync_.forget(entity);
  clients_.forget(id);
  const bool changed = saver_.take_unsaved(entity);
  std::vector<std::string> names = names_.take_retired(id);
  // One that is fenced and never owned a name is not the entity that it was made as.
  const bool owned = !fenced || names_.epoch_of(id) != 0;
  if (!moved && owned && saver_.saves(entity)) {
    if (reason == EndReason::erased) {
      saver_.erase(entity, std::exchange(names, {}));
    } else if (changed) {
      saver_.save_last(entity, std::exchange(names, {}));
    } else {
      ++context_.counters.unchanged;
    }
  }
  mail_.forget(id);
  names_.release(names);
  names_.forget(id);
  departures_.ended(id);
}

/// In a later turn of the loop: then no call of an entity is on the stack.
void EntityHost::settle_soon() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive)] {
    if (!weak.expired()) settle();
  });
}

void EntityHost::settle() {
  scheduled_ = false;
  const bus::ShownName::Scope shown(context_.endpoint.work().activity(), "end of entities", "");
  const PassTime time{entity::kSettleTime};
  if (entities_->settle(entity::kSettlePass, &time)) settle_soon();
  end_of_drain();
}

void EntityHost::lose_all() {
  context_.thread.check();
  arrivals_.lose_all();
  entries_.lose_all();
  const std::vector<std::uint64_t> ids = names_.fence_all();
  if (ids.empty()) return;
  spdlog::warn("entities: {} end with the lease, and are saved under their former epochs",
               ids.size());
  context_.counters.fenced += ids.size();
  for (const std::uint64_t id : ids) {
    if (Entity* entity = entities_->find_here(OnlineId{id})) entity->destroy(EndReason::fenced);
  }
}

// --- the drain -----------------------------------------------------------------------------------

void EntityHost::drain(Done done) {
  context_.thread.check();
  assert(!drained_);
  drained_ = std::move(done);
  context_.draining = true;
  departures_.give_up_waiting();
  end_those_that_stay();
  begin_end();
  if (arrivals_.accepted() != 0) {
    // An accepted move is usually granted at once; one that takes longer is not worth the wait.
    static_cast<void>(context_.timers.after(context_.alarms, kArrivalGrace,
                                            [this] { arrivals_.abandon_accepted(); }));
  }
  static_cast<void>(context_.timers.every(
      context_.alarms, kWaitReport, kWaitReport, entity::CatchUp::once,
      [this] { spdlog::warn("entities: the drain waits for {}", waits_for()); }));
}

/// They are saved while the moves that are under way go on, however long a target takes. An entity
/// that moves is saved as it is now, too: its target saves it under a later epoch.
void EntityHost::end_those_that_stay() {
  entities_->for_each_here([this](Entity& entity) {
    const std::uint64_t id = id_of(entity);
    if (!departures_.has(id)) return entity.destroy(EndReason::closing);
    if (saver_.saves(entity) && saver_.unsaved(id)) {
      saver_.save(entity, [](const bus::Result<>&) {});
    }
  });
}

/// After the last move: until then an entity may live here or at its target.
void EntityHost::begin_end() {
  if (!departures_.empty() || arrivals_.accepted() != 0) return;
  if (std::exchange(ending_all_, true)) return;
  arrivals_.give_up_stranded();
  entities_->begin_close();
  settle_soon();
}

void EntityHost::end_of_drain() {
  if (!drained_ || !ending_all_ || !entities_->closed() || !saver_.idle()) return;
  if (!mail_.idle()) return;
  context_.alarms.cancel_all();
  std::exchange(drained_, nullptr)({});
}

std::string EntityHost::waits_for() const {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view what) {
    if (count == 0) return;
    text.append(text.empty() ? "" : ", ").append(std::to_string(count)).append(what);
  };
  if (drained_) {
    const std::size_t on_their_way = departures_.size() + arrivals_.accepted();
    add(departures_.size(), " to move");
    add(arrivals_.accepted(), " to arrive");
    add(entities_->size() - std::min(entities_->size(), on_their_way), " entities to end");
  }
  add(arrivals_.stranded(), " to be activated");
  const std::string saves = saver_.waits_for();
  return text + (text.empty() || saves.empty() ? "" : ", ") + saves;
}

// --- for observers -------------------------------------------------------------------------------

/// The stall detector shows it.
void EntityHost::step_began(const Entity& entity, std::string_view step) {
  char text[bus::ShownName::kLongest];
  const int size = std::snprintf(text, sizeof text, "%.40s.%.48s", entity.type().name().data(),
                                 std::string(step).c_str());
  context_.endpoint.work().activity()->show("step ",
                                            std::string_view(text, static_cast<std::size_t>(size)));
}

void EntityHost::step_ended() {
  context_.endpoint.work().activity()->hide();
}

void EntityHost::failed(const entity::HookFailure& failure) {
  if (failure.error == entity::EntityErrc::hook_threw) {
    // By type and hook, so that a hook that throws for all entities has one budget of log lines.
    std::string place(failure.entity.substr(0, failure.entity.find(' ')));
    if (!failure.component.empty()) place.append(", component ").append(failure.component);
    place.append(", ").append(name_of(failure.hook));
    if (UnitGuard::report(UnitKind::hook, place, failure.to_string())) return;
  }
  spdlog::error("entities: {}", failure.to_string());
}

void EntityHost::converted(Entity& entity, const entity::LoadReport& report) {
  for (const auto& removed : report.removed) {
    spdlog::warn("entities: {} comes from another build: {} is not declared here, and is dropped",
                 entity.label(), removed.path);
  }
}

void EntityHost::describe(const Entity& entity, nlohmann::ordered_json& shown) const {
  admin_.describe(entity, shown);
}

}  // namespace starbus::nodes::entities
