/// Orders, answers, what operators and games ask, and the time.
#include "nodes/space/registry/registry.hpp"

#include <algorithm>

#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {
namespace {

LineView view_of(const Space& space, const SpaceType* type) {
  const std::uint32_t soft =
      type == nullptr ? space.capacity : std::min(type->soft_capacity, space.capacity);
  return {space.name, name_of(space.state), space.node, space.taken(), soft, space.capacity};
}

}  // namespace

Registry::Registry(std::uint64_t term, SpaceTypes types, Time now)
    : term_(term), began_(now), types_(std::move(types)) {}

std::uint64_t Registry::order(const std::string& node, const Life& life,
                              decltype(Order::what) what) {
  orders_.push_back({node, term_, ++orders_made_, life, std::move(what)});
  return orders_made_;
}

void Registry::answer(std::uint64_t request, Result<Grant> result) {
  waiters_.erase(request);
  answers_.push_back({request, std::move(result)});
}

void Registry::reload(SpaceTypes types, Time now) {
  types_ = std::move(types);
  if (rebuilding_) return;
  begin_places();
  std::vector<PlaceId> all;
  for (const auto& [id, place] : places_) all.push_back(id);
  for (const PlaceId& id : all) settle(id, now);
}

Result<> Registry::countdown(const SpaceName& name, std::optional<std::chrono::milliseconds> after,
                             Time now) {
  Space* const space = find(name);
  if (space == nullptr || space->state == SpaceState::unheard) {
    return Error(Errc::unknown_space, to_string(name));
  }
  if (space->state == SpaceState::counting || space->state == SpaceState::ending) {
    return Error(Errc::ends, to_string(name) + " ends already");
  }
  const SpaceType* const type = type_of(name.place);
  const std::chrono::milliseconds wait =
      after.value_or(type == nullptr ? kDefaultCountdown : type->countdown);
  if (wait < wait.zero() || wait > kLongestCountdown) {
    return Error(Errc::bad_request,
                 "countdown: give 0 to " + std::to_string(kLongestCountdown.count()) + " ms");
  }
  if (space->state == SpaceState::creating) {  // no player has seen it
    end(*space, now);
    return {};
  }
  space->go(SpaceState::counting);
  space->until = now + wait;
  (void)order(space->node, space->life, Countdown{wait});
  settle(name.place, now);
  return {};
}

Result<> Registry::close(const SpaceName& name, Time now) {
  Space* const space = find(name);
  if (space == nullptr || space->state == SpaceState::unheard) {
    return Error(Errc::unknown_space, to_string(name));
  }
  if (space->state == SpaceState::closing) return {};
  if (space->state == SpaceState::counting || space->state == SpaceState::ending) {
    return Error(Errc::ends, to_string(name) + " ends already");
  }
  if (space->taken() > 0) {
    return Error(Errc::occupied,
                 to_string(name) + " has " + std::to_string(space->taken()) + " players and seats");
  }
  if (space->state == SpaceState::creating) {
    end(*space, now);
    return {};
  }
  space->go(SpaceState::closing);
  space->again = now + kOrderAgain;
  (void)order(space->node, space->life, Close{false});
  return {};
}

void Registry::due(Time now) {
  for (const auto& [process, node] : book_.nodes()) {
    if ((node.announced && node.unsure == 0) || now - node.asked < kHelloAgain) continue;
    (void)order(process, {}, Hello{});
    book_.asked(process, now);
  }
  expire(now);
  if (rebuilding_) return try_rebuilt(now);
  // What has happened to a place was settled then; here is what only time does.
  for (std::size_t left = std::min<std::size_t>(places_.size(), kPlacesAtOnce); left > 0; --left) {
    auto next = places_.upper_bound(looked_at_);
    if (next == places_.end()) next = places_.begin();
    if (next == places_.end()) return;
    looked_at_ = next->first;
    keep_time(looked_at_, next->second, now);
    settle(looked_at_, now);
  }
}

std::vector<LineView> Registry::lines(const PlaceId& place) const {
  std::vector<LineView> all;
  const auto found = places_.find(place);
  if (found == places_.end()) return all;
  for (const auto& [line, space] : found->second.lines) {
    all.push_back(view_of(space, type_of(place)));
  }
  return all;
}

std::vector<LineView> Registry::spaces() const {
  return spaces_after({{}, 0}, count_);
}

std::vector<LineView> Registry::spaces_after(const SpaceName& name, std::size_t most) const {
  std::vector<LineView> all;
  for (auto place = places_.lower_bound(name.place); place != places_.end(); ++place) {
    const auto& lines = place->second.lines;
    const bool first = place->first == name.place;
    for (auto line = first ? lines.upper_bound(name.line) : lines.begin(); line != lines.end();
         ++line) {
      if (all.size() >= most) return all;
      all.push_back(view_of(line->second, type_of(place->first)));
    }
  }
  return all;
}

std::array<std::size_t, kSpaceStates> Registry::states() const {
  std::array<std::size_t, kSpaceStates> all{};
  for (const auto& [id, place] : places_) {
    for (const auto& [line, space] : place.lines) ++all[static_cast<std::size_t>(space.state)];
  }
  return all;
}

}  // namespace starbus::nodes::space
