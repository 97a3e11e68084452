#include "nodes/entities/entity_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "entity/properties/root.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::EndReason;
using entity::Entity;
using entity::OnlineId;

std::uint64_t now_in_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

bool has_saved_fields(const entity::Root& properties) {
  return std::ranges::any_of(properties.schema().fields(), [](const entity::FieldInfo& field) {
    return (field.reach & bit_of(entity::View::save)) != 0;
  });
}

}  // namespace

EntityHost::EntityHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                       std::string_view node, HostOptions options)
    : endpoint_(endpoint),
      timers_(timers),
      options_(std::move(options)),
      ids_(endpoint, timers, options_.counter) {
  entity::EntityManager::DrawId draw = options_.draw;
  if (!draw) {
    draw = [this]() -> entity::IdentityResult<OnlineId> {
      const bus::Result<std::uint64_t> id = ids_.next();
      if (!id) return entity::IdentityErrc::no_ids;
      return OnlineId{*id};
    };
  }
  entities_ = std::make_unique<entity::EntityManager>(
      types_, entity::PersistentIdSource(node, now_in_ms()), std::move(draw),
      entity::EntityOptions{.most = options_.most, .observer = this, .timers = &timers_});
  for (const std::string& prefix : options_.take_in) take_in(prefix);
}

EntityHost::~EntityHost() {
  entities_.reset();
  if (!saves_.empty()) spdlog::error("entities: {}, at the end of the node", waits_for());
}

bus::Result<> EntityHost::join(Node& node) {
  if (!types_.refused().empty()) {
    return bus::Error(bus::Errc::bad_config,
                      "two types of entities are named " + types_.refused().front());
  }
  if (!options_.draw) {
    node.before_ready("entity ids", [this](Done done) { wait_for_ids(std::move(done)); });
  }
  node.on_drain("entities", [this](Done done) { drain(std::move(done)); });
  node.on_state([this](NodeState state) {
    if (state == NodeState::starting) lose_all();
  });
  add_admin(node);
  return {};
}

/// The one that comes is not used: there are enough.
void EntityHost::wait_for_ids(Done done) {
  ids_.wait_next(std::chrono::milliseconds(kIdWait),
                 [this, weak = std::weak_ptr(alive_),
                  done = std::move(done)](const bus::Result<std::uint64_t>& id) mutable {
                   if (weak.expired()) return;
                   if (id) return done({});
                   spdlog::warn("entities: no online ids yet: {}", id.error().to_string());
                   wait_for_ids(std::move(done));
                 });
}

// --- channels ------------------------------------------------------------------------------------

std::string EntityHost::channel_of(OnlineId id) {
  return "entity/" + text_of(id);
}

void EntityHost::publish(Entity& entity, std::string name, Done done) {
  const OnlineId id = entity.online_id();
  if (entities_->find(id) != &entity) {
    return boost::asio::post(endpoint_.loop(), [done = std::move(done)] {
      done(bus::Error(bus::Errc::not_bound, "the entity has ended"));
    });
  }
  // From now on: a lease that is lost meanwhile ends it, too.
  ++published_[static_cast<std::uint64_t>(id)].names;
  endpoint_.bind(std::move(name), entity,
                 [this, weak = std::weak_ptr(alive_), id,
                  done = std::move(done)](const bus::Result<bus::Bound>& bound) {
                   if (!bound && !weak.expired()) refused(id);
                   done(bound ? bus::Result<>() : bus::Result<>(bound.error()));
                 });
}

/// Whoever has no name of its own loses nothing with the lease.
void EntityHost::refused(OnlineId id) {
  const auto found = published_.find(static_cast<std::uint64_t>(id));
  if (found == published_.end() || found->second.fenced) return;
  if (--found->second.names == 0) published_.erase(found);
}

void EntityHost::lose_all() {
  while (!arriving_.empty()) abandon(std::string(arriving_.begin()->first));
  std::vector<std::uint64_t> ids;
  for (auto& [id, published] : published_) {
    if (!std::exchange(published.fenced, true)) ids.push_back(id);
  }
  if (ids.empty()) return;
  spdlog::warn("entities: {} end with the lease, and are not saved", ids.size());
  counters_.fenced += ids.size();
  std::ranges::sort(ids);  // the order of their ends
  for (const std::uint64_t id : ids) {
    if (Entity* entity = entities_->find(OnlineId{id})) entity->destroy(EndReason::fenced);
  }
}

// --- the end of entities -------------------------------------------------------------------------

/// In a later turn of the loop: nothing of an entity is on the stack then.
void EntityHost::settle_soon() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) settle();
  });
}

void EntityHost::settle() {
  scheduled_ = false;
  if (entities_->settle()) settle_soon();
  end_of_drain();
}

void EntityHost::failed(const entity::HookFailure& failure) {
  spdlog::error("entities: {}", failure.to_string());
}

void EntityHost::finished(Entity& entity, EndReason reason) {
  const auto published = published_.find(static_cast<std::uint64_t>(entity.online_id()));
  const bool fenced =
      reason == EndReason::fenced || (published != published_.end() && published->second.fenced);
  if (published != published_.end()) published_.erase(published);
  const auto leaving = leaving_.find(static_cast<std::uint64_t>(entity.online_id()));
  if (leaving != leaving_.end() && leaving->second.packed && !fenced &&
      reason != EndReason::moved) {
    // It may live on at the target, which saves it then.
    ++counters_.unsaved;
    return spdlog::error("entities: {} ended within its move, and was not saved", entity.label());
  }
  if (!fenced && reason != EndReason::moved) save(entity);
}

void EntityHost::save(Entity& entity) {
  entity::Root* const properties = entity.properties();
  if (!options_.save || properties == nullptr || !has_saved_fields(*properties)) return;
  SavedEntity kept{std::string(entity.type().name()), entity.persistent_id(), {}};
  const std::uint64_t number = ++saves_begun_;
  Save& pending = saves_[number];
  pending.label = entity.label();
  if (const auto encoded = properties->encode_saved(entity::View::save, kept.properties);
      !encoded) {
    return saved(number, bus::Error(bus::Errc::too_large, encoded.error().to_string()));
  }
  const auto late =
      timers_.after(alarms_, std::chrono::milliseconds(kSaveDeadline),
                    [this, number] { saved(number, bus::Error(bus::Errc::deadline)); });
  if (late) pending.deadline = *late;
  options_.save(std::move(kept),
                [this, weak = std::weak_ptr(alive_), number](const bus::Result<>& result) {
                  if (!weak.expired()) saved(number, result);
                });
}

/// Once: what comes later, or twice, is ignored.
void EntityHost::saved(std::uint64_t number, const bus::Result<>& result) {
  const auto found = saves_.find(number);
  if (found == saves_.end()) return;
  timers_.cancel(found->second.deadline);
  ++(result ? counters_.saved : counters_.unsaved);
  if (!result) {
    spdlog::error("entities: {} was not saved: {}", found->second.label,
                  result.error().to_string());
  }
  saves_.erase(found);
  if (drained_) settle_soon();
}

// --- the drain -----------------------------------------------------------------------------------

void EntityHost::drain(Done done) {
  drained_ = std::move(done);
  if (leaving_.empty()) begin_end();
  static_cast<void>(timers_.every(alarms_, std::chrono::milliseconds(kWaitReport),
                                  std::chrono::milliseconds(kWaitReport), entity::CatchUp::once,
                                  [this] { report_waiting(); }));
}

/// Behind the last move: what is on its way lives here or there, and nobody knows where.
void EntityHost::begin_end() {
  entities_->begin_close();
  settle_soon();
}

void EntityHost::end_of_drain() {
  if (!drained_ || !leaving_.empty() || !entities_->closed() || !saves_.empty()) return;
  alarms_.cancel_all();
  std::exchange(drained_, nullptr)({});
}

void EntityHost::report_waiting() {
  spdlog::warn("entities: the drain waits for {}", waits_for());
}

std::string EntityHost::waits_for() const {
  std::string text;
  if (drained_ && !leaving_.empty()) {
    text = std::to_string(leaving_.size()) + " to move";
  } else if (drained_ && entities_->size() > 0) {
    text = std::to_string(entities_->size()) + " entities to end";
  }
  if (saves_.empty()) return text;
  if (!text.empty()) text += ", ";
  text += std::to_string(saves_.size()) + " to be saved: ";
  std::size_t named = 0;
  for (const auto& [number, save] : saves_) {
    if (named == kNamedWaiters) return text + ", ...";
    text.append(named++ == 0 ? "" : ", ").append(save.label);
  }
  return text;
}

}  // namespace starbus::nodes::entities
