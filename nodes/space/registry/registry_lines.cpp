/// Lines: when a further one begins, where, and when one ends.
#include <algorithm>

#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/registry/registry.hpp"

namespace starbus::nodes::space {
namespace {

/// How many lines run or come whatever the demand is; those that were precreated may end.
std::size_t least_lines(const Place& place, const SpaceType& type) {
  return place.warm ? type.min_lines : type.precreated;
}

}  // namespace

const SpaceType* Registry::type_of(const PlaceId& place) const {
  const auto found = types_.find(place.type);
  if (found == types_.end()) return nullptr;
  // A place of the other kind is of an earlier file, or was invented: it ends when it is empty.
  const bool fits = (found->second.scope == Scope::key) != place.key.empty();
  return fits ? &found->second : nullptr;
}

bool Registry::on_offer(const Space& space) const {
  const SpaceNode* const node = book_.find(space.node);
  return node != nullptr && node->announced && !node->draining;
}

std::size_t Registry::leaving(const Place& place) const {
  return static_cast<std::size_t>(std::ranges::count_if(place.lines, [&](const auto& line) {
    const SpaceNode* const node = book_.find(line.second.node);
    return node != nullptr && node->draining;
  }));
}

Registry::Supply Registry::supply_of(const Place& place) const {
  Supply supply;
  for (const auto& [line, space] : place.lines) {
    if (space.state == SpaceState::creating || space.state == SpaceState::unheard) {
      ++supply.coming;
    } else if (space.state == SpaceState::ready && on_offer(space)) {
      ++supply.open;
      supply.taken += space.taken();
    }
  }
  return supply;
}

void Registry::settle(const PlaceId& id, Time now) {
  if (rebuilding_) return;
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  Place& place = found->second;
  serve_all(place, now);
  grow(id, place, now);
  const SpaceType* const type = type_of(id);
  shrink(place, type, now);
  const bool keyed = type == nullptr || type->scope == Scope::key;
  if (keyed && place.lines.empty() && place.queue.empty() && now >= place.paused) {
    places_.erase(found);
  }
}

/// A crowd that waits is looked at once a step, not once for each answer to one of it.
void Registry::settle_soon(const PlaceId& id, Time now) {
  const auto found = places_.find(id);
  if (found != places_.end() && found->second.queue.size() <= kCrowd) settle(id, now);
}

void Registry::grow(const PlaceId& id, Place& place, Time now) {
  const SpaceType* const type = type_of(id);
  place.no_node = false;
  if (type == nullptr) return;
  Supply supply = supply_of(place);
  std::uint64_t demand = supply.taken;
  std::size_t unserved = 0;
  for (const std::uint64_t request : place.queue) {
    const Waiter& waiter = waiters_.at(request);
    if (waiter.ask.line != 0) continue;
    demand += waiter.ask.seats;
    ++unserved;
  }
  while (true) {
    if (supply.lines() >= type->precreated) place.warm = true;
    const bool wanted = supply.lines() < least_lines(place, *type) ||
                        demand > supply.lines() * type->soft_capacity ||
                        (unserved > 0 && supply.coming == 0);
    if (!wanted || now < place.paused) break;
    if (place.lines.size() >= type->max_lines + leaving(place) || count_ >= kMaxSpaces) break;
    if (!create(id, place, *type, now)) break;
    ++supply.coming;
  }
  if (unserved > 0 && supply.coming == 0) tell_if_no_line_can_come(place, *type);
}

bool Registry::create(const PlaceId& id, Place& place, const SpaceType& type, Time now) {
  std::uint32_t line = 1;
  while (place.lines.contains(line) || held_.contains({id, line})) ++line;
  if (line > std::min<std::size_t>(kMaxLines, type.max_lines + leaving(place))) return false;
  std::erase_if(place.avoid, [&](const auto& each) { return now >= each.second; });
  std::set<std::string, std::less<>> avoid;
  for (const auto& [node, until] : place.avoid) avoid.insert(node);
  const auto node = book_.choose(type, avoid, now);
  place.no_node = !node.has_value();
  if (!node) return false;
  Space space;
  space.name = {id, line};
  space.life = {term_, ++lives_made_};
  space.node = *node;
  space.capacity = type.capacity;
  space.until = now + kCreateWait;
  space.again = now + kOrderAgain;
  space.created_by = order(*node, space.life, Create{space.name, type, place.setup});
  book_.begins(*node, space.life, type.weight);
  add(std::move(space));
  return true;
}

void Registry::add(Space space) {
  if (space.state != SpaceState::unheard) lives_[space.life] = space.name;
  by_node_[space.node].insert(space.name);
  ++count_;
  const SpaceName name = space.name;
  places_[name.place].lines.emplace(name.line, std::move(space));
}

void Registry::started(Space& space, Time now) {
  space.go(SpaceState::ready);
  places_.at(space.name.place).failures = 0;
  book_.started(space.node, space.life, now);
}

/// Nothing will change by itself: all lines run and are full, or the cluster has all the spaces it
/// may have.
void Registry::tell_if_no_line_can_come(Place& place, const SpaceType& type) {
  const std::size_t stay = place.lines.size() - leaving(place);
  const Supply supply = supply_of(place);
  const bool all_run = stay >= type.max_lines && supply.open == stay;
  const bool no_more = count_ >= kMaxSpaces && stay < type.max_lines;
  if (!all_run && !no_more) return;
  for (const std::uint64_t request : std::exchange(place.queue, {})) {
    const Waiter& waiter = waiters_.at(request);
    if (waiter.ask.line != 0) {
      place.queue.push_back(request);
      continue;
    }
    const std::string name = to_string(waiter.ask.place);
    const Error why =
        no_more ? Error(Errc::would_block, name + ": too many spaces run")
                : Error(Errc::full, name + ": all " + std::to_string(stay) + " lines are full");
    answer(request, waiter.last.code.is_ok() ? why : waiter.last);
  }
}

void Registry::shrink(Place& place, const SpaceType* type, Time now) {
  if (!place.queue.empty()) return;
  const Supply supply = supply_of(place);
  std::size_t live = supply.lines();
  const std::size_t least = type == nullptr ? 0 : least_lines(place, *type);
  const std::uint64_t soft = type == nullptr ? 0 : type->soft_capacity;
  const Time idle = type == nullptr ? kDefaultIdle : type->idle;
  for (auto each = place.lines.rbegin(); each != place.lines.rend(); ++each) {
    Space& space = each->second;
    if (space.state != SpaceState::ready || !on_offer(space) || !space.empty_since) continue;
    if (now - *space.empty_since < idle) continue;
    if (live <= least) return;
    if (type != nullptr && supply.taken > (live - 1) * soft)
      return;  // it would begin again at once
    space.go(SpaceState::closing);
    space.again = now + kOrderAgain;
    (void)order(space.node, space.life, Close{false});
    --live;
  }
}

/// Lines that start, beyond what is wanted now: the latest first.
void Registry::end_unwanted(Place& place, const SpaceType* type, Time now) {
  if (rebuilding_ || type == nullptr || !place.queue.empty()) return;
  const Supply supply = supply_of(place);
  std::size_t live = supply.lines();
  const std::size_t least = least_lines(place, *type);
  for (auto each = place.lines.rbegin(); each != place.lines.rend(); ++each) {
    if (live <= least || supply.taken > (live - 1) * type->soft_capacity) return;
    if (each->second.state != SpaceState::creating) continue;
    end(each->second, now);
    --live;
  }
}

void Registry::end(Space& space, Time now) {
  space.go(SpaceState::ending);
  space.again = now + kOrderAgain;
  (void)order(space.node, space.life, Close{true});
}

void Registry::keep_time(const PlaceId& id, Place& place, Time now) {
  const SpaceType* const type = type_of(id);
  for (auto& [line, space] : place.lines) {
    switch (space.state) {
      case SpaceState::creating:
        if (now >= space.until) {
          end(space, now);
          if (space.created_by != 0) {
            creation_failed(place, space.node, "it has not started in time", now);
          }
        } else if (now >= space.again && type != nullptr) {
          space.again = now + kOrderAgain;
          space.created_by = order(space.node, space.life, Create{space.name, *type, place.setup});
        }
        break;
      case SpaceState::counting:
        if (now >= space.until) end(space, now);
        break;
      case SpaceState::closing:
      case SpaceState::ending:
        if (now < space.again) break;
        space.again = now + kOrderAgain;
        (void)order(space.node, space.life, Close{space.state == SpaceState::ending});
        break;
      case SpaceState::unheard:
      case SpaceState::ready:
        break;
    }
  }
}

void Registry::creation_failed(Place& place, const std::string& node, const std::string& why,
                               Time now) {
  ++place.failures;
  place.failed = node + ": " + why;
  place.avoid[node] = now + kAvoidNode;
  Time pause = kCreatePause;
  for (std::uint32_t i = 1; i < place.failures && pause < kLongestPause; ++i) pause *= 2;
  place.paused = now + std::min<Time>(pause, kLongestPause);
  if (place.failures % kCreateTries != 0) return;
  for (const std::uint64_t request : std::exchange(place.queue, {})) {
    answer(request, Error(Errc::create_failed, place.failed));
  }
}

void Registry::gone(const SpaceName& name, Time now, const std::string& why) {
  Place& place = places_.at(name.place);
  const auto found = place.lines.find(name.line);
  Space space = std::move(found->second);
  place.lines.erase(found);
  lives_.erase(space.life);
  if (const auto node = by_node_.find(space.node); node != by_node_.end()) {
    node->second.erase(name);
    if (node->second.empty()) by_node_.erase(node);
  }
  --count_;
  book_.ended(space.node, space.life);
  for (const auto& [number, ask] : space.asks) {
    if (ask.request != 0) requeue(ask.request, {Errc::ends, to_string(name) + " has ended"});
  }
  // One that this service has not ordered has failed nobody.
  if (space.state == SpaceState::creating && space.created_by != 0) {
    creation_failed(place, space.node, why, now);
  }
}

}  // namespace starbus::nodes::space
