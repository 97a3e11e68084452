#include "nodes/space/travel/travels.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/client/process_name.hpp"
#include "bus/io/clock.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/service/space_service.hpp"
#include "nodes/space/travel/evacuation.hpp"

namespace starbus::nodes::space {
namespace {

using bus::io::boot_now;
using entity::Entity;
using entity::EntityState;
using entity::OnlineId;
using std::chrono::milliseconds;

}  // namespace

std::vector<Wish> default_ways(const Entity&, const Leaving& from) {
  std::vector<Wish> ways;
  if (from.drain) ways.push_back({.place = from.space.place, .at = from.at});
  if (!from.type.next.empty()) ways.push_back({.place = {from.type.next, ""}});
  return ways;
}

Travels::Travels(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                 entities::EntityHost& entities, SpaceHost& spaces, TravelOptions options)
    : endpoint_(endpoint),
      timers_(timers),
      entities_(entities),
      spaces_(spaces),
      options_(std::move(options)),
      calls_(endpoint) {
  entities.world().add<Travels>(*this);
  entities.on_arrived([this, weak = std::weak_ptr(alive_)](Entity& entity) {
    if (!weak.expired()) arrived(entity);
  });
  spaces.on_left_over([this, weak = std::weak_ptr(alive_)](Entity& entity, const SpaceName& from,
                                                           const SpaceType& type) {
    if (!weak.expired()) left_over(entity, from, type);
  });
}

Travels::~Travels() {
  entities_.world().remove<Travels>();
}

std::string Travels::process() const {
  return bus::process_name(endpoint_.bus());
}

// --- a travel begins -----------------------------------------------------------------------------

Result<> Travels::check(const Entity& entity) const {
  if (closed_) return Error(bus::Errc::closed, "the node drains");
  if (entity.life() != EntityState::alive) return Error(entity::EntityErrc::not_alive);
  if (entity.component<Traveller>() == nullptr) return Error(Errc::no_traveller, entity.label());
  if (rows_.contains(entity.online_id())) return Error(Errc::travelling, entity.label());
  if (rows_.size() >= kMaxTravels) return Error(Errc::would_block, "too many players travel");
  return {};
}

void Travels::begin(OnlineId id, Wish wish, bool again, bus::Done<Travelled> done) {
  Entity* const entity = entities_.entities().find(id);
  Result<> checked = entity == nullptr ? Result<>(Error(Errc::traveller_ended)) : check(*entity);
  const bool seat = wish.seat.has_value();
  if (checked && seat && wish.seat->tickets.size() != 1) {
    checked = Error(Errc::bad_request, "a seat with one ticket");
  }
  if (!checked) {
    if (seat) give_back(*wish.seat);
    return refuse(id, checked.error(), std::move(done));
  }
  Row row;
  row.number = ++numbers_;
  row.again = again;
  row.entity = entity->label();
  const GameSpace* const space = spaces_.find(entity->space());
  if (space != nullptr) row.from = to_string(space->name());
  row.began = boot_now();
  const auto patience = std::clamp<milliseconds>(wish.patience, {}, kLongestPatience);
  row.deadline = row.began + patience;
  row.done = std::move(done);
  row.wish = std::move(wish);
  const std::uint64_t number = row.number;
  Row& kept = rows_.emplace(id, std::move(row)).first->second;
  auto then = [this, weak = std::weak_ptr(alive_), id, number](Result<Grant> grant) {
    if (!weak.expired()) granted(id, number, std::move(grant));
  };
  if (seat) {
    return boost::asio::post(endpoint_.loop(), [then, grant = *kept.wish.seat] { then(grant); });
  }
  EnterRequest ask;
  ask.place = kept.wish.place;
  ask.line = kept.wish.line;
  ask.patience = patience;
  ask.setup = kept.wish.setup;
  kept.ask = calls_.ask(std::move(ask), std::move(then));
}

/// Of one that travels already the player hears when that travel ends.
void Travels::refuse(OnlineId id, Error why, bus::Done<Travelled> done) {
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_), id, why = std::move(why),
                                       done = std::move(done)] {
    const bool tells = !weak.expired() && why != Errc::travelling;
    if (Entity* const entity = tells ? entities_.entities().find(id) : nullptr) tell(*entity, why);
    done(why);
  });
}

bool Travels::cancel(const Entity& entity) {
  const auto found = rows_.find(entity.online_id());
  if (found == rows_.end() || found->second.stage != Stage::asking) return false;
  finish(found->first, Error(entity::rpc::Errc::canceled, "the travel was canceled"));
  return true;
}

void Travels::entity_ended(const Entity& entity) {
  const auto found = rows_.find(entity.online_id());
  if (found == rows_.end() || found->second.stage != Stage::asking) return;
  finish(found->first, Error(Errc::traveller_ended, found->second.entity));
}

// --- the seat is held ----------------------------------------------------------------------------

/// A row that has gone, or is another one, wants no seat any more.
void Travels::granted(OnlineId id, std::uint64_t number, Result<Grant> seat) {
  const auto found = rows_.find(id);
  if (found == rows_.end() || found->second.number != number) {
    if (seat) give_back(*seat);
    return;
  }
  if (!seat) return finish(id, seat.error());
  Row& row = found->second;
  row.grant = *std::move(seat);
  if (row.grant.tickets.size() != 1) {
    give_back(row.grant);
    return finish(id, Error(Errc::bad_request, "the service gave another number of tickets"));
  }
  Entity* const entity = entities_.entities().find(id);
  const bool late = boot_now() > row.deadline;
  if (late || entity == nullptr) {
    give_back(row.grant);
    const Error frozen(bus::Errc::busy, row.entity + ": it moves to another process");
    return finish(id, late ? Error(Errc::too_late, "its seat came after its patience") : frozen);
  }
  if (row.grant.node == process()) return change(id);
  move(*entity);
}

void Travels::change(OnlineId id) {
  Row& row = rows_.at(id);
  row.stage = Stage::changing;
  const Grant grant = row.grant;
  Entity& entity = *entities_.entities().find(id);
  const auto in = spaces_.change(entity, grant.tickets.front(), row.wish.at);
  if (in) {
    ++counters_.here;
    return finish(id, Travelled{grant.space, grant.node});
  }
  const bool unused =
      in.error() == entity::EntityErrc::not_alive || in.error() == entity::EntityErrc::in_space;
  if (unused) give_back(grant);
  finish(id, entity.life() == EntityState::ending ? Error(Errc::traveller_ended, entity.label())
                                                  : in.error());
}

void Travels::move(Entity& entity) {
  const OnlineId id = entity.online_id();
  Row& row = rows_.at(id);
  row.stage = Stage::moving;
  entity.component<Traveller>()->take_along(
      Journey{row.grant.space, row.grant.tickets.front(), row.wish.at, row.again});
  entities::MoveOptions how;
  const auto left = std::chrono::duration_cast<milliseconds>(row.deadline - boot_now());
  how.wait = std::clamp<milliseconds>(left, {}, entities::kMoveWait);
  // Fields that count in one space alone begin anew. Which one it enters its ticket says.
  how.space = OnlineId::none;
  how.leave_behind = row.wish.leave_behind;
  entities_.move(entity, row.grant.node, how,
                 [this, weak = std::weak_ptr(alive_), id](const bus::Result<>& end) {
                   if (!weak.expired()) moved(id, end);
                 });
}

void Travels::moved(OnlineId id, const bus::Result<>& end) {
  const auto found = rows_.find(id);
  if (found == rows_.end()) return;
  const Grant grant = found->second.grant;
  if (end) {
    ++counters_.away;
    return finish(id, Travelled{grant.space, grant.node});
  }
  give_back(grant);
  Entity* const entity = entities_.entities().find_here(id);
  if (entity == nullptr) return finish(id, Error(Errc::traveller_ended, found->second.entity));
  entity->component<Traveller>()->take_along(std::nullopt);
  const bool refused = end.error() == bus::Errc::move_refused;
  finish(id, refused ? Error(Errc::not_let_in, end.error().detail) : end.error());
}

/// At once, by its node: the service hears it as an order, and the next one of its term.
void Travels::give_back(const Grant& grant) {
  if (grant.tickets.empty()) return;
  ++counters_.given_back;
  const auto sent = entity::rpc::send<&SpaceService::give_back>(endpoint_, kSpaceService, {},
                                                                grant.life, grant.tickets);
  if (!sent) spdlog::debug("spaces: a seat is not given back: {}", sent.error().to_string());
}

void Travels::finish(OnlineId id, Result<Travelled> end) {
  auto row = rows_.extract(id);
  if (row.empty()) return;
  if (row.mapped().stage == Stage::asking) calls_.withdraw(row.mapped().ask);
  if (!end) {
    ++counters_.failed;
    // Full places are the daily bread of a game; a move that fails is news.
    const bool asked = row.mapped().stage == Stage::asking;
    spdlog::log(asked ? spdlog::level::debug : spdlog::level::info,
                "spaces: {} does not travel to {}: {}", row.mapped().entity,
                to_string(row.mapped().wish.seat ? row.mapped().wish.seat->space.place
                                                 : row.mapped().wish.place),
                end.error().to_string());
  }
  if (Entity* const entity = entities_.entities().find(id)) tell(*entity, end);
  boost::asio::post(endpoint_.loop(),
                    [done = std::move(row.mapped().done), end = std::move(end)] { done(end); });
  send_left_over();
}

void Travels::tell(Entity& entity, const Result<Travelled>& end) {
  auto* const hooks = dynamic_cast<TravelHooks*>(&entity);
  if (hooks == nullptr) return;
  guarded(UnitKind::hook, std::string_view("on_travel_ended"),
          [&] { hooks->on_travel_ended(end); });
}

// --- at the other end ----------------------------------------------------------------------------

Result<> Travels::expect(const Journey& journey) {
  if (entities_.owns_arrival()) return {};
  if (auto named = check_space(journey.space); !named) return named;
  return spaces_.claim(journey.ticket);
}

/// It is owned and active here, and has not been called yet.
void Travels::arrived(Entity& entity) {
  auto* const traveller = entity.component<Traveller>();
  if (traveller == nullptr) return;
  const std::optional<Journey> journey = traveller->take_arrived();
  if (!journey) return;
  const auto in = journey->at ? spaces_.arrive(entity, journey->ticket, *journey->at)
                              : spaces_.arrive(entity, journey->ticket);
  if (in) {
    ++counters_.come;
    return tell(entity, Travelled{journey->space, process()});
  }
  ++counters_.come_badly;
  spdlog::warn("spaces: {} has come to {}, and is in no space: {}", entity.label(),
               to_string(journey->space), in.error().to_string());
  if (entity.life() != EntityState::alive) return;
  const bool lost = in.error() == Errc::unknown_ticket || in.error() == Errc::ends;
  if (!lost || journey->again) return tell(entity, in.error());
  // The space has ended on its way. It has no place to go back to: it asks once more.
  begin(entity.online_id(), {.place = journey->space.place, .at = journey->at}, true,
        [](const Result<Travelled>&) {});
}

// --- spaces that end -----------------------------------------------------------------------------

void Travels::left_over(Entity& entity, const SpaceName& from, const SpaceType& type) {
  if (rows_.contains(entity.online_id()) || entity.component<Traveller>() == nullptr) return;
  std::vector<Wish> ways;
  guarded(UnitKind::hook, std::string_view("where_to"), [&] {
    ways = options_.where_to(entity, {from, type, {}, false});
  });
  if (ways.empty()) return;
  ++counters_.left_over;
  if (left_over_.size() >= kMaxLeftOver) {
    return refuse(entity.online_id(), Error(Errc::would_block, "too many players are left over"),
                  [](const Result<Travelled>&) {});
  }
  left_over_.emplace_back(entity.online_id(), std::move(ways.front()));
  send_left_over();
}

/// Large spaces leave more players than may travel at once: the others wait for their turn.
void Travels::send_left_over() {
  while (!left_over_.empty() && rows_.size() < kMaxTravels) {
    auto [id, way] = std::move(left_over_.front());
    left_over_.pop_front();
    const Entity* const entity = entities_.entities().find(id);
    if (entity == nullptr || entity->space() != OnlineId::none || rows_.contains(id)) continue;
    begin(id, std::move(way), false, [](const Result<Travelled>&) {});
  }
}

void Travels::end_asking(const Error& why) {
  std::vector<OnlineId> asking;
  for (const auto& [id, row] : rows_) {
    if (row.stage == Stage::asking) asking.push_back(id);
  }
  for (const OnlineId id : asking) finish(id, why);
}

void Travels::drain(Done done) {
  spaces_.refuse_newcomers();
  evacuation_ = std::make_unique<Evacuation>(*this, [this, done = std::move(done)] {
    closed_ = true;
    end_asking(Error(bus::Errc::closed, "the node drains"));
    done({});
  });
  evacuation_->begin();
}

}  // namespace starbus::nodes::space
