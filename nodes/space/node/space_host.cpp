#include "nodes/space/node/space_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/process_name.hpp"
#include "bus/client/shown_name.hpp"
#include "bus/io/clock.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/names.hpp"

namespace starbus::nodes::space {
namespace {

using bus::io::boot_now;
using std::chrono::milliseconds;

constexpr std::string_view kEntityIds = "entities";

}  // namespace

SpaceHost::SpaceHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                     entity::EntityManager& entities, SpaceHostOptions options)
    : endpoint_(endpoint),
      timers_(timers),
      entities_(entities),
      options_(std::move(options)),
      ids_(endpoint, timers, std::string(kEntityIds)),
      around_{.endpoint = endpoint,
              .timers = timers,
              .home = *this,
              .parts = {},
              .start_limit = options_.start_limit,
              .end_limit = options_.end_limit,
              .draw_id = [this](auto drawn) { draw_id(std::move(drawn)); },
              .started = [this](const Life& life) { started(life); },
              .stopped = [this](const Life& life) { stopped(life); },
              .gone = [this](const Life& life, const Result<>& why) { gone(life, why); }},
      orders_([this](const bus::Process&, const Order& order) { return obey(order); }),
      ticks_(
          endpoint, timers, [this](const TickLine::Due& due) { tick(due); },
          [this](const TickLine::Due& due, entity::Time now, entity::Time took) {
            ticked(due, now, took);
          }) {
  entities.world().add<SpaceHost>(*this);
}

SpaceHost::~SpaceHost() {
  orders_.close_rpc();
  running_.clear();
}

void SpaceHost::add_class(std::string type, std::function<SpaceClass::Made(SpaceInit)> make) {
  if (const auto checked = check_type(type); !checked) {
    mistake_ = checked.error().to_string();
  } else if (!classes_.try_emplace(type, SpaceClass{std::move(make)}).second) {
    mistake_ = "two classes of spaces for the type " + type;
  } else if (classes_.size() > kMaxSpaceTypes) {
    mistake_ = "more than " + std::to_string(kMaxSpaceTypes) + " types of spaces";
  }
}

bus::Result<> SpaceHost::check_config() const {
  if (!mistake_.empty()) return bus::Error(bus::Errc::bad_config, mistake_);
  if (options_.labels.size() > kMaxSpaceLabels) {
    return bus::Error(bus::Errc::bad_config,
                      "more than " + std::to_string(kMaxSpaceLabels) + " labels");
  }
  for (const std::string& label : options_.labels) {
    if (is_label(label)) continue;
    return bus::Error(bus::Errc::bad_config, "a label of another form: '" + label + "'");
  }
  return {};
}

bus::Result<> SpaceHost::join(Node& node) {
  if (auto checked = check_config(); !checked) return checked;
  if (!options_.busy) options_.busy = [&node] { return node.busy_ms_per_s(); };
  node.before_ready("spaces", [this](Done done) { open(std::move(done)); });
  node.on_drain("spaces", [this](Done done) { drain(std::move(done)); });
  node.on_state([this](NodeState state) {
    if (state == NodeState::starting) lose_all();
  });
  add_admin(node);
  add_metrics(node);
  return {};
}

// --- the service ---------------------------------------------------------------------------------

void SpaceHost::begin_anew() {
  std::vector<std::string> types;
  for (const auto& [type, made] : classes_) types.push_back(type);
  hosted_.emplace(std::move(types), options_.labels);
}

/// The place for orders first: whoever sees it in the group can reach it.
void SpaceHost::open(Done done) {
  if (auto checked = check_config(); !checked) return done(checked);
  if (draining_) return done(bus::Error(bus::Errc::closed, "spaces: the node drains"));
  if (!std::exchange(open_, true)) begin_anew();
  if (alarms_.size() == 0) {
    const auto looks =
        timers_.every(alarms_, kSeatsEvery, kSeatsEvery, entity::CatchUp::once, [this] {
          hosted_->due(boot_now());
          if (hosted_->take_room()) announce();
          ticks_.wake();
          pump_soon();
        });
    const auto tells = timers_.every(alarms_, kAnnounceEvery, kAnnounceEvery, entity::CatchUp::once,
                                     [this] { announce(); });
    if (!looks || !tells) return done(bus::Error(bus::Errc::io_error, "spaces: no timer"));
  }
  if (!orders_name_.empty()) return join_group(std::move(done));
  endpoint_.bind(orders_channel(bus::process_name(endpoint_.bus())), orders_,
                 [this, weak = std::weak_ptr(lease_),
                  done = std::move(done)](const bus::Result<bus::Bound>& bound) mutable {
                   if (weak.expired()) return;
                   if (!bound) return done(bound.error());
                   orders_name_ = bound->name;
                   join_group(std::move(done));
                 });
}

void SpaceHost::join_group(Done done) {
  if (!group_name_.empty()) return done({});
  endpoint_.bus().bind(std::string(kSpaceNodes), bus::Handlers{},
                       [this, weak = std::weak_ptr(lease_),
                        done = std::move(done)](const bus::Result<bus::Bound>& bound) {
                         if (weak.expired()) return;
                         if (!bound) return done(bound.error());
                         group_name_ = bound->name;
                         done({});
                       });
}

Result<> SpaceHost::obey(const Order& order) {
  if (!hosted_) return Errc::ends;
  auto obeyed = hosted_->obey(order, boot_now());
  if (!obeyed) {
    const bool stale = obeyed.error() == Errc::stale_service;
    ++(stale ? counters_.stale_orders : counters_.bad_orders);
    spdlog::warn("spaces: an order is refused: {}", obeyed.error().to_string());
  }
  pump_soon();
  return obeyed;
}

/// In a turn of its own: orders come within calls, and some work within hooks of a space.
void SpaceHost::pump_soon() {
  if (std::exchange(pumping_, true)) return;
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) pump();
  });
}

/// Replies go before an announcement that has what they say.
void SpaceHost::pump() {
  pumping_ = false;
  if (!hosted_) return end_of_drain();
  for (HostedSpaces::Work& work : hosted_->take_work()) perform(std::move(work));
  for (const Reply& reply : hosted_->take_replies()) tell(reply);
  if (hosted_->take_announce()) announce();
  end_of_drain();
}

void SpaceHost::perform(HostedSpaces::Work work) {
  if (auto* const start_it = std::get_if<HostedSpaces::Start>(&work)) {
    start(std::move(*start_it));
  } else if (const auto* const warn = std::get_if<HostedSpaces::Warn>(&work)) {
    if (auto* const space = find_running(warn->life)) space->warn(warn->after);
  } else if (const auto* const end = std::get_if<HostedSpaces::End>(&work)) {
    if (auto* const space = find_running(end->life)) space->end();
  }
}

void SpaceHost::start(HostedSpaces::Start order) {
  const Life life = order.life;
  const SpaceClass& made = classes_.at(order.order.type.name);  // HostedSpaces knows them
  auto space = std::make_unique<RunningSpace>(around_, std::move(order), made);
  running_.emplace(life, std::move(space)).first->second->begin();
}

/// What is lost on the way is in the next announcement.
void SpaceHost::tell(const Reply& reply) {
  const auto sent = entity::rpc::send<&NewsPort::reply>(endpoint_, kSpaceService, {}, reply);
  if (!sent) spdlog::debug("spaces: a reply is not sent: {}", sent.error().to_string());
}

/// Before a service has spoken nobody waits for it.
void SpaceHost::announce() {
  if (!hosted_ || hosted_->term() == 0) return;
  const double busy = options_.busy ? options_.busy() : 0;
  const auto sent = entity::rpc::send<&NewsPort::announce>(endpoint_, kSpaceService, {},
                                                           hosted_->announcement(busy, boot_now()));
  if (!sent) spdlog::debug("spaces: an announcement is not sent: {}", sent.error().to_string());
}

// --- spaces come and go --------------------------------------------------------------------------

void SpaceHost::draw_id(std::function<void(Result<entity::OnlineId>)> drawn) {
  if (options_.draw) {
    const auto id = options_.draw();
    return drawn(id ? Result<entity::OnlineId>(*id) : Result<entity::OnlineId>(Error(id.error())));
  }
  ids_.wait_next(options_.start_limit,
                 [drawn = std::move(drawn)](const bus::Result<std::uint64_t>& id) {
                   if (!id) return drawn(id.error());
                   drawn(entity::OnlineId{*id});
                 });
}

void SpaceHost::started(const Life& life) {
  ++counters_.started;
  const TickLine::Id id = ++ticks_made_;
  ticking_.emplace(id, life);
  ticks_.add(id, running_.at(life)->type().tick());
  hosted_->started(life, {});
  pump_soon();
}

void SpaceHost::stopped(const Life& life) {
  std::erase_if(ticking_, [&](const auto& each) {
    if (each.second != life) return false;
    ticks_.remove(each.first);
    return true;
  });
}

void SpaceHost::gone(const Life& life, const Result<>& why) {
  const auto found = running_.find(life);
  if (why) {
    spdlog::info("the space {} has ended", to_string(found->second->name()));
    ++counters_.ended;
    if (found->second->ended_badly()) ++counters_.ended_badly;
  } else {
    ++counters_.failed;
    hosted_->started(life, why);
  }
  keep_counts(*found->second);
  running_.erase(found);
  hosted_->ended(life);  // nothing, if it could not start
  pump_soon();
}

RunningSpace* SpaceHost::find_running(const Life& life) const {
  const auto found = running_.find(life);
  return found == running_.end() ? nullptr : found->second.get();
}

GameSpace* SpaceHost::find(const SpaceName& name) {
  for (const auto& [life, space] : running_) {
    if (space->name() == name) return space->space();
  }
  return nullptr;
}

GameSpace* SpaceHost::find(entity::OnlineId id) {
  for (const auto& [life, space] : running_) {
    if (space->space() != nullptr && space->space()->id() == id) return space->space();
  }
  return nullptr;
}

Result<> SpaceHost::end_after(const Life& life, milliseconds after) {
  auto ends = hosted_ ? hosted_->end_by_itself(life, after, boot_now()) : Result<>(Errc::ends);
  pump_soon();
  return ends;
}

void SpaceHost::lose_all() {
  orders_name_.clear();
  group_name_.clear();
  lease_ = std::make_shared<bool>(true);
  if (!running_.empty()) spdlog::warn("{} spaces end with the lease", running_.size());
  counters_.lost += running_.size();
  for (const auto& [life, space] : running_) {
    space->lose();
    keep_counts(*space);
  }
  running_.clear();
  if (hosted_) begin_anew();  // names are free, and another service may begin with a lower term
  if (draining_ && hosted_) hosted_->drain();
  end_of_drain();
}

// --- ticks ---------------------------------------------------------------------------------------

void SpaceHost::tick(const TickLine::Due& due) {
  RunningSpace& space = *running_.at(ticking_.at(due.id));
  const bus::ShownName::Scope shown(endpoint_.work().activity(), "tick of space ",
                                    to_string(space.name()));
  space.run_tick(due.tick);
}

void SpaceHost::ticked(const TickLine::Due& due, entity::Time now, entity::Time took) {
  const auto found = ticking_.find(due.id);
  if (found == ticking_.end()) return;
  RunningSpace& space = *running_.at(found->second);
  space.figures().record(now, due.late, took, due.tick.missed);
  Totals& all = totals_[space.type().name];
  ++all.ticks;
  all.missed += due.tick.missed;
}

void SpaceHost::keep_counts(RunningSpace& space) {
  if (space.space() == nullptr) return;
  totals_[space.type().name].sight += space.space()->sight().counters();
}

// --- the drain -----------------------------------------------------------------------------------

/// The service sees the end in the announcement, and the node in the group until its last space has
/// ended: so it is not taken for a dead one.
void SpaceHost::drain(Done done) {
  draining_ = true;
  drained_ = std::move(done);
  if (hosted_) hosted_->drain(options_.drain_warning, boot_now());
  announce();
  pump_soon();
}

void SpaceHost::end_of_drain() {
  if (!drained_ || !running_.empty() || (hosted_ && hosted_->size() != 0)) return;
  alarms_.cancel_all();
  announce();
  const auto ignore = [](const bus::Result<>&) {};
  if (!group_name_.empty()) endpoint_.bus().unbind(std::exchange(group_name_, {}), ignore);
  if (!orders_name_.empty()) endpoint_.unbind(std::exchange(orders_name_, {}), ignore);
  std::exchange(drained_, nullptr)({});
}

}  // namespace starbus::nodes::space
