#include "nodes/hosting/entity_host.hpp"

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

}  // namespace

EntityHost::EntityHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                       std::string_view node, HostOptions options)
    : endpoint_(endpoint),
      timers_(timers),
      options_(std::move(options)),
      ids_(endpoint, timers, options_.counter),
      sync_({.sink = options_.sink, .unsaved = unsaved_marker()}),
      saves_(timers, options_.save),
      unsaved_(options_.save_every),
      save_number_(now_in_ms() << 20) {  // a million in each millisecond that it lives
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
  if (options_.tick > std::chrono::milliseconds(0)) {
    const auto set = timers_.every(alarms_, options_.tick, options_.tick, entity::CatchUp::once,
                                   [this] { tick(); });
    if (set) tick_timer_ = *set;
  }
}

EntityHost::~EntityHost() {
  if (ticker_ != nullptr) ticker_->schedule().remove(ticking_);
  entities_.reset();
  if (!saves_.empty()) spdlog::error("entities: {}, at the end of the node", saves_.waits_for());
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
  return options_.tick > std::chrono::milliseconds(0) ? tick_with(node.ticks()) : bus::Result<>();
}

/// Among the other work of the node that has a rhythm: behind what writes in the same tick.
bus::Result<> EntityHost::tick_with(Ticker& ticker) {
  const auto added =
      ticker.add({.name = "entities", .phase = entity::TickPhase::sync, .interval = options_.tick},
                 [this](const entity::Tick&) { tick(); });
  if (!added) return bus::Error(bus::Errc::bad_config, added.error().to_string());
  timers_.cancel(tick_timer_);
  ticker_ = &ticker;
  ticking_ = *added;
  return {};
}

/// The one that comes is not used: there are enough.
void EntityHost::wait_for_ids(Done done) {
  ids_.wait_next(std::chrono::milliseconds(kIdWait),
                 [this, weak = std::weak_ptr(alive_),
                  done = std::move(done)](const bus::Result<std::uint64_t>& id) mutable {
                   if (weak.expired()) return;
                   if (id) return done({});
                   spdlog::warn("entities: no online ids yet: {}; is a starbus-manager up?",
                                id.error().to_string());
                   wait_for_ids(std::move(done));
                 });
}

// --- channels ------------------------------------------------------------------------------------

std::string EntityHost::channel_of(OnlineId id) {
  return "entity/" + text_of(id);
}

void EntityHost::start_publish(Entity& entity, std::string name, Done done) {
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
                  done = std::move(done)](const bus::Result<bus::Bound>& result) {
                   if (!weak.expired()) bound(id, result);
                   done(result ? bus::Result<>() : bus::Result<>(result.error()));
                 });
}

/// Whoever has no name of its own loses nothing with the lease.
void EntityHost::bound(OnlineId id, const bus::Result<bus::Bound>& bound) {
  const auto found = published_.find(static_cast<std::uint64_t>(id));
  if (found == published_.end() || found->second.fenced) return;
  Entity* const entity = entities_->find(id);
  if (bound && entity != nullptr) return owned(*entity, bound->epoch);
  if (!bound && --found->second.names == 0) published_.erase(found);
}

void EntityHost::owned(Entity& entity, bus::Epoch epoch) {
  Published& published = published_[static_cast<std::uint64_t>(entity.online_id())];
  published.epoch = std::max(published.epoch, epoch.value);
  const auto type = declared_.find(&entity.type());
  if (type != declared_.end() && type->second.options.mirrored) {
    sync_.mirror(entity, endpoint_, epoch);
  }
}

void EntityHost::lose_all() {
  while (!arriving_.empty()) abandon(std::string(arriving_.begin()->first));
  for (const auto& [name, stranded] : std::exchange(stranded_, {})) {
    timers_.cancel(stranded->retry);
    stranded->end(bus::Error(bus::Errc::lease_lost));
    ++counters_.fenced;
  }
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

// --- the drain -----------------------------------------------------------------------------------

void EntityHost::drain(Done done) {
  drained_ = std::move(done);
  if (leaving_.empty() && arriving_.empty()) begin_end();
  if (!arriving_.empty()) {
    static_cast<void>(timers_.after(alarms_, std::chrono::milliseconds(kArrivalGrace),
                                    [this] { no_arrivals(); }));
  }
  static_cast<void>(timers_.every(alarms_, std::chrono::milliseconds(kWaitReport),
                                  std::chrono::milliseconds(kWaitReport), entity::CatchUp::once,
                                  [this] { report_waiting(); }));
}

/// What was accepted is granted at once, or hardly ever.
void EntityHost::no_arrivals() {
  while (!arriving_.empty()) abandon(std::string(arriving_.begin()->first));
}

/// Behind the last move: what is on its way lives here or there, and nobody knows where.
void EntityHost::begin_end() {
  if (!leaving_.empty() || !arriving_.empty() || std::exchange(ending_all_, true)) return;
  while (!stranded_.empty()) give_up(std::string(stranded_.begin()->first));
  entities_->begin_close();
  settle_soon();
}

void EntityHost::end_of_drain() {
  if (!drained_ || !ending_all_ || !entities_->closed() || !saves_.empty()) return;
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
  } else if (drained_ && !arriving_.empty()) {
    text = std::to_string(arriving_.size()) + " to arrive";
  } else if (drained_ && entities_->size() > 0) {
    text = std::to_string(entities_->size()) + " entities to end";
  }
  if (!stranded_.empty()) {
    text.append(text.empty() ? "" : ", ").append(std::to_string(stranded_.size()));
    text.append(" to come to live");
  }
  const std::string saves = saves_.waits_for();
  return text + (text.empty() || saves.empty() ? "" : ", ") + saves;
}

}  // namespace starbus::nodes::entities
