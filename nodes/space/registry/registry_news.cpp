/// The directory, what nodes announce, and the rebuild after a start.
#include <algorithm>

#include "nodes/space/host/limits.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/registry/news_check.hpp"
#include "nodes/space/registry/registry.hpp"

namespace starbus::nodes::space {

Space* Registry::find(const SpaceName& name) {
  const auto place = places_.find(name.place);
  if (place == places_.end()) return nullptr;
  const auto line = place->second.lines.find(name.line);
  return line == place->second.lines.end() ? nullptr : &line->second;
}

Space* Registry::find(const Life& life) {
  const auto found = lives_.find(life);
  return found == lives_.end() ? nullptr : find(found->second);
}

void Registry::node_came(const std::string& process, Time now) {
  if (!book_.came(process)) return;
  (void)order(process, {}, Hello{});
  book_.asked(process, now);
}

void Registry::node_left(const std::string& process, Time now) {
  book_.left(process);
  const auto found = by_node_.find(process);
  if (found != by_node_.end()) {
    const std::set<SpaceName> all = found->second;
    for (const SpaceName& name : all) gone(name, now, "its node has ended");
    for (const SpaceName& name : all) settle(name.place, now);
  }
  if (const auto next = book_.take_in()) {
    (void)order(*next, {}, Hello{});
    book_.asked(*next, now);
  }
  try_rebuilt(now);
}

void Registry::name_held(const SpaceName& name, const std::string& process) {
  held_[name] = process;
}

void Registry::name_freed(const SpaceName& name) {
  held_.erase(name);
  const Space* const space = find(name);
  if (space != nullptr && space->state == SpaceState::unheard) gone(name, {}, {});
}

void Registry::directory_complete(Time now) {
  directory_ = true;
  try_rebuilt(now);
}

void Registry::try_rebuilt(Time now) {
  if (!rebuilding_ || !directory_) return;
  if (book_.all_announced() || now - began_ >= kRebuildWait) rebuilt(now);
}

void Registry::begin_places() {
  for (const auto& [name, type] : types_) {
    if (type.scope == Scope::cluster) places_.try_emplace(PlaceId{name, {}});
  }
}

void Registry::rebuilt(Time now) {
  rebuilding_ = false;
  begin_places();
  // Names of processes that have not announced themselves: what runs there is not known, and may
  // not run twice.
  for (const auto& [name, process] : held_) {
    if (find(name) != nullptr) continue;
    if (count_ >= kMaxSpaces) break;  // these names stay taken all the same
    const SpaceNode* const node = book_.find(process);
    if (node != nullptr && node->announced) continue;  // it says that it has not got it any more
    const auto its = by_node_.find(process);
    if (its != by_node_.end() && its->second.size() >= kMaxHosted) continue;  // no node has more
    Space space;
    space.name = name;
    space.node = process;
    space.state = SpaceState::unheard;
    add(std::move(space));
  }
  std::vector<PlaceId> all;
  for (auto& [id, place] : places_) {
    place.warm = place.warm || !place.lines.empty();
    all.push_back(id);
  }
  for (const PlaceId& id : all) settle(id, now);
}

void Registry::announced(const std::string& process, const Announcement& from, Time now) {
  if (!book_.may_say(process, now)) return;
  if (from.term > term_) superseded_ = book_.deserts(process) || superseded_;
  if (from.term != term_ || from.seen > orders_made_ || !check_news(from)) return;
  book_.announced(process, from, now);
  compare(process, from, now);
  try_rebuilt(now);
}

void Registry::compare(const std::string& process, const Announcement& from, Time now) {
  std::set<PlaceId> touched;
  std::set<Life> listed;
  for (const SpaceRow& row : from.spaces) {
    listed.insert(row.life);
    touched.insert(row.name.place);
    Space* const space = find(row.life);
    if (space != nullptr && space->node == process) {
      match(*space, row, now);
      forget_asks(*space, from.seen, now);
    } else {
      adopt(process, row, now);
    }
  }
  std::vector<SpaceName> missing;
  if (const auto found = by_node_.find(process); found != by_node_.end()) {
    for (const SpaceName& name : found->second) {
      const Space* const space = find(name);
      const bool unseen = space->created_by > from.seen;  // its order is on its way
      if (!unseen && !listed.contains(space->life)) missing.push_back(name);
    }
  }
  for (const SpaceName& name : missing) {
    touched.insert(name.place);
    gone(name, now, "its node does not run it any more");
  }
  for (const PlaceId& id : touched) settle_soon(id, now);
}

void Registry::match(Space& space, const SpaceRow& row, Time now) {
  if (row.ready && space.state == SpaceState::creating) started(space, now);
  space.count(row.seats, now);
  const bool begins = space.state == SpaceState::ready || space.state == SpaceState::closing;
  if (row.ending && begins) {  // by itself
    space.go(SpaceState::counting);
    space.until = end_of(row, now);
  }
}

/// As far as it may be: a node says how long.
Time Registry::end_of(const SpaceRow& row, Time now) {
  return now + std::clamp<std::chrono::milliseconds>(row.ends_in, {}, kLongestCountdown);
}

/// Reserves that the node has handled without an answer that came: their seats are in its count.
void Registry::forget_asks(Space& space, std::uint64_t seen, Time now) {
  while (!space.asks.empty() && space.asks.begin()->first <= seen) {
    const std::uint64_t request = space.answered(space.asks.begin()->first)->request;
    const auto waiter = waiters_.find(request);
    if (waiter == waiters_.end()) continue;
    (void)order(space.node, space.life, Release{waiter->second.tickets});
    requeue(request, {Errc::too_late, "the answer of node " + space.node + " was lost"});
  }
  space.count(space.seats, now);
}

/// A space of an earlier service; one that is not to be ends.
void Registry::adopt(const std::string& process, const SpaceRow& row, Time now) {
  Space* const other = find(row.name);
  const bool free =
      other == nullptr || (other->state == SpaceState::unheard && other->node == process);
  // A life is one space: what another one has already is not this node's.
  const bool invented = row.life.term >= term_ || lives_.contains(row.life);
  if (free && !invented && other == nullptr) {
    // The directory knows better who has the name, and will say so if it is behind.
    const auto held = held_.find(row.name);
    if (held != held_.end() && held->second != process) return;
  }
  const bool full = other == nullptr && count_ >= kMaxSpaces;
  if (!free || invented || full) {
    if (book_.may_be_told(process, now)) (void)order(process, row.life, Close{true});
    return;
  }
  if (other != nullptr) gone(row.name, now, {});
  Space space;
  space.name = row.name;
  space.life = row.life;
  space.node = process;
  space.capacity = row.capacity;
  space.state = row.ready ? SpaceState::ready : SpaceState::creating;
  space.until = now + kCreateWait;
  space.again = space.until;  // whoever has ordered it has ended; its node goes on by itself
  space.count(row.seats, now);
  if (row.ready && row.ending) {
    space.go(SpaceState::counting);
    space.until = end_of(row, now);
  }
  const SpaceType* const type = type_of(row.name.place);
  book_.begins(process, row.life, type == nullptr ? 0 : type->weight);
  if (row.ready) book_.started(process, row.life, now);
  add(std::move(space));
}

void Registry::replied(const std::string& process, const Reply& said, Time now) {
  Space* const space = find(said.life);
  if (said.term != term_ || space == nullptr || space->node != process) return;
  Reply reply = said;
  if (Error why = said.result.error(); why.detail.size() > kMaxReason) {
    why.detail.resize(kMaxReason);
    reply.result = std::move(why);
  }
  const SpaceName name = space->name;
  switch (reply.to) {
    case Reply::To::create:
      if (!reply.result) {
        gone(name, now, reply.result.error().to_string());
      } else if (space->state == SpaceState::creating) {
        started(*space, now);
        space->count(reply.seats, now);
      } else {
        return;
      }
      break;
    case Reply::To::reserve: {
      const bool asked = space->asks.contains(reply.number);
      reserved(*space, reply, now);
      if (!asked) return;  // nobody waits for it: due() looks at the place
      break;
    }
    case Reply::To::close:
      if (reply.result) {
        gone(name, now, "it was ended");
        break;
      }
      space->count(reply.seats, now);
      if (space->state != SpaceState::closing) return;
      space->go(SpaceState::ready);
      break;
  }
  settle_soon(name.place, now);
}

void Registry::uncertain(const std::string& process, std::uint64_t number) {
  book_.unsure(process, number);  // due() asks
}

void Registry::undelivered(const std::string& process, std::uint64_t number, Time now) {
  const auto found = by_node_.find(process);
  if (found == by_node_.end()) return;
  for (const SpaceName& name : found->second) {
    Space* const space = find(name);
    const auto ask = space->answered(number);
    if (!ask) continue;
    const std::uint64_t request = ask->request;
    space->count(space->seats, now);
    if (const auto waiter = waiters_.find(request); waiter != waiters_.end()) {
      waiter->second.tried.insert(space->life);
      ++waiter->second.tries;
      requeue(request, {Errc::too_late, "node " + process + " was not reached"});
    }
    const PlaceId place = name.place;
    return settle_soon(place, now);
  }
}

}  // namespace starbus::nodes::space
