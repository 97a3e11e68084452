/// Those who wait for seats.
#include <algorithm>
#include <tuple>

#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/registry/registry.hpp"

namespace starbus::nodes::space {

Result<> Registry::check(const EnterRequest& ask) const {
  if (auto named = check_place(ask.place); !named) return named;
  const auto found = types_.find(ask.place.type);
  if (found == types_.end()) return Error(Errc::unknown_type, ask.place.type);
  const SpaceType* const type = &found->second;
  if ((type->scope == Scope::key) == ask.place.key.empty()) {
    return Error(Errc::bad_request,
                 ask.place.type + (ask.place.key.empty() ? ": each key has a place; give a key"
                                                         : ": it has one place; give no key"));
  }
  const std::uint32_t most = std::min(static_cast<std::uint32_t>(kMaxTeam), type->capacity);
  if (ask.seats == 0 || ask.seats > most) {
    return Error(Errc::bad_request, ask.place.type + ": ask for 1 to " + std::to_string(most) +
                                        " seats; it is " + std::to_string(ask.seats));
  }
  if (ask.line > kMaxLines) {
    return Error(Errc::bad_request, "line: give 0 to " + std::to_string(kMaxLines));
  }
  if (ask.setup.size() > kMaxSetup) {
    return Error(Errc::bad_request, "setup: at most " + std::to_string(kMaxSetup) + " bytes");
  }
  if (waiters_.size() >= kMaxWaiters) return Error(Errc::would_block, "too many requests wait");
  return {};
}

void Registry::enter(std::uint64_t request, EnterRequest ask, Time now) {
  if (auto checked = check(ask); !checked) return answer(request, checked.error());
  const PlaceId id = ask.place;
  Place& place = places_[id];
  if (place.setup.empty() && place.lines.empty()) place.setup = ask.setup;
  // Compared in ms: in ns the longest one that can be written would be a negative one.
  const auto patience = std::clamp<std::chrono::milliseconds>(ask.patience, {}, kLongestPatience);
  Waiter waiter;
  waiter.ask = std::move(ask);
  waiter.deadline = now + patience;
  Waiter& kept = waiters_.insert_or_assign(request, std::move(waiter)).first->second;
  const Served served = serve(request, kept, place, now);
  const bool first = place.queue.empty();
  if (served == Served::waits) place.queue.push_back(request);
  // A crowd that waits is looked at once a tick, not once for each who joins it.
  if (served != Served::under_way && first) settle(id, now);
}

/// Which of the lines with room: not on a node that is silent or full, if there is another one;
/// then the fullest within its soft capacity, so that few lines run and players meet; then the
/// emptiest beyond it.
Space* Registry::choose_line(const Waiter& waiter, Place& place, const SpaceType& type, Time now) {
  Space* best = nullptr;
  std::tuple<bool, bool, std::int64_t> least;
  for (auto& [line, space] : place.lines) {
    if (space.state != SpaceState::ready || !on_offer(space)) continue;
    if (space.room() < waiter.ask.seats || waiter.tried.contains(space.life)) continue;
    const SpaceNode* const node = book_.find(space.node);
    const std::int64_t taken = space.taken();
    const bool beyond = taken + waiter.ask.seats > type.soft_capacity;
    const std::tuple key(node == nullptr || node->silent(now) || node->full, beyond,
                         beyond ? taken : -taken);
    if (best != nullptr && !(key < least)) continue;
    best = &space;
    least = key;
  }
  return best;
}

Registry::Served Registry::serve(std::uint64_t request, Waiter& waiter, Place& place, Time now) {
  if (rebuilding_) return Served::waits;
  const SpaceType* const type = type_of(waiter.ask.place);
  const auto refuse = [&](const Error& why) {
    answer(request, why);
    return Served::answered;
  };
  if (type == nullptr) return refuse({Errc::unknown_type, waiter.ask.place.type});
  if (waiter.tries >= kEnterTries) return refuse(waiter.last);
  Space* space = nullptr;
  if (waiter.ask.line == 0) {
    space = choose_line(waiter, place, *type, now);
    if (space == nullptr) return Served::waits;
  } else {
    const auto found = place.lines.find(waiter.ask.line);
    const SpaceName name{waiter.ask.place, waiter.ask.line};
    if (found == place.lines.end()) return refuse({Errc::no_such_line, to_string(name)});
    space = &found->second;
    if (space->state == SpaceState::creating || space->state == SpaceState::unheard ||
        space->state == SpaceState::closing) {
      return Served::waits;
    }
    if (space->state != SpaceState::ready || !on_offer(*space)) {
      return refuse({Errc::ends, to_string(name)});
    }
    if (waiter.tried.contains(space->life)) return refuse(waiter.last);
    if (space->room() < waiter.ask.seats) {
      return refuse(
          {Errc::line_full, to_string(name) + " has room for " + std::to_string(space->room())});
    }
  }
  reserve(request, waiter, *space, now);
  return Served::under_way;
}

void Registry::reserve(std::uint64_t request, Waiter& waiter, Space& space, Time now) {
  waiter.tickets.clear();
  for (std::uint32_t seat = 0; seat < waiter.ask.seats; ++seat) {
    waiter.tickets.push_back({term_, ++tickets_made_});
  }
  waiter.space = space.name;
  waiter.reply_by = now + kReserveWait;
  waiter.order = order(space.node, space.life, Reserve{waiter.tickets, kTicketHold});
  space.ask(waiter.order, {waiter.ask.seats, request});
  space.empty_since.reset();
}

void Registry::serve_all(Place& place, Time now) {
  std::deque<std::uint64_t> still;
  bool none = false;  // no line has a seat for one: for none of those behind it either
  for (const std::uint64_t request : std::exchange(place.queue, {})) {
    const auto found = waiters_.find(request);
    if (found == waiters_.end()) continue;
    Waiter& waiter = found->second;
    const bool simple = waiter.ask.line == 0 && waiter.tried.empty();
    if (none && simple) {
      still.push_back(request);
      continue;
    }
    if (serve(request, waiter, place, now) != Served::waits) continue;
    still.push_back(request);
    none = none || (simple && waiter.ask.seats == 1);
  }
  place.queue.insert(place.queue.begin(), still.begin(), still.end());
}

void Registry::release(Waiter& waiter) {
  if (waiter.order == 0) return;
  Space* const space = find(waiter.space);
  if (space != nullptr) {
    const auto ask = space->asks.find(waiter.order);
    if (ask != space->asks.end()) {
      ask->second.request = 0;  // its seats count until the node has answered
      (void)order(space->node, space->life, Release{waiter.tickets});
    }
  }
  waiter.order = 0;
}

Result<> Registry::give_back(const Life& life, std::vector<Ticket> tickets) {
  if (tickets.size() > kMaxTeam) {
    return Error(Errc::bad_request, "tickets: at most " + std::to_string(kMaxTeam));
  }
  const Space* const space = find(life);
  if (space != nullptr) (void)order(space->node, life, Release{std::move(tickets)});
  return {};
}

void Registry::requeue(std::uint64_t request, const Error& why) {
  const auto found = waiters_.find(request);
  if (found == waiters_.end()) return;
  Waiter& waiter = found->second;
  waiter.order = 0;
  waiter.last = why;
  places_[waiter.ask.place].queue.push_front(request);
}

void Registry::cancel(std::uint64_t request, Time now) {
  const auto found = waiters_.find(request);
  if (found == waiters_.end()) return;
  release(found->second);
  const PlaceId id = found->second.ask.place;
  waiters_.erase(found);
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  std::erase(place->second.queue, request);
  end_unwanted(place->second, type_of(id), now);
}

/// The best known reason why no seat was at hand.
Error Registry::why_late(const Waiter& waiter) const {
  const std::string name = to_string(waiter.ask.place);
  const auto found = places_.find(waiter.ask.place);
  if (rebuilding_ || found == places_.end()) return {Errc::too_late, name};
  const Place& place = found->second;
  if (place.no_node) return {Errc::no_node, name};
  if (place.failures > 0) return {Errc::create_failed, name + ": " + place.failed};
  return waiter.last.code.is_ok() ? Error(Errc::too_late, name) : waiter.last;
}

void Registry::expire(Time now) {
  std::vector<std::uint64_t> over;
  std::vector<std::uint64_t> unanswered;
  for (auto& [request, waiter] : waiters_) {
    if (now >= waiter.deadline) {
      over.push_back(request);
    } else if (waiter.order != 0 && now >= waiter.reply_by) {
      unanswered.push_back(request);
    }
  }
  std::set<PlaceId> shorter;
  for (const std::uint64_t request : over) {
    Waiter& waiter = waiters_.at(request);
    const PlaceId id = waiter.ask.place;
    release(waiter);
    answer(request, why_late(waiter));
    shorter.insert(id);
  }
  for (const PlaceId& id : shorter) {
    std::erase_if(places_[id].queue,
                  [&](std::uint64_t request) { return !waiters_.contains(request); });
  }
  for (const std::uint64_t request : unanswered) {
    Waiter& waiter = waiters_.at(request);
    const Space* const space = find(waiter.space);
    const std::string node = space == nullptr ? std::string() : space->node;
    if (space != nullptr) waiter.tried.insert(space->life);
    release(waiter);
    ++waiter.tries;
    requeue(request, {Errc::too_late, "node " + node + " does not answer"});
  }
}

void Registry::reserved(Space& space, const Reply& reply, Time now) {
  const auto ask = space.answered(reply.number);
  space.count(reply.seats, now);
  if (!ask) return;
  const std::uint64_t request = ask->request;
  const auto waiting = waiters_.find(request);
  if (waiting == waiters_.end()) return;  // a Release is on its way
  Waiter& waiter = waiting->second;
  if (reply.result && space.state == SpaceState::ready) {
    answer(request, Grant{space.name, space.life, space.node, waiter.tickets, kTicketHold});
    return;
  }
  if (reply.result) {
    (void)order(space.node, space.life, Release{waiter.tickets});
  } else {
    waiter.tried.insert(space.life);
    ++waiter.tries;
  }
  requeue(request, reply.result ? Error(Errc::ends, to_string(space.name)) : reply.result.error());
}

}  // namespace starbus::nodes::space
