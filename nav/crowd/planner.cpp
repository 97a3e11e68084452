#include "nav/crowd/planner.hpp"

#include <algorithm>

namespace starbus::nav::crowd {
namespace {

// One in so many is of those who have an old way.
constexpr std::uint32_t kLateTurn = 4;
// What beginning a search costs, in nodes: answers without one are not for nothing, either.
constexpr std::uint32_t kBeginning = 16;

}  // namespace

Planner::Planner(const Ground& ground, const CrowdOptions& options)
    : ground_(ground), options_(options), none_(options.walkers), old_(options.walkers) {
  turns_.resize(options.searches);
}

void Planner::want(std::span<Member> members, std::uint32_t slot, bool late) {
  Member& member = members[slot];
  if (member.searching) return;
  member.wanted = true;
  bool& queued = late ? member.queued_late : member.queued;
  if (queued) return;
  queued = true;
  (late ? old_ : none_).push(slot);
}

void Planner::forget(Member& member) {
  ++member.plan;
  member.wanted = false;
  member.searching = false;
}

std::optional<std::uint32_t> Planner::pop(std::span<Member> members, bool late) {
  Queue& queue = late ? old_ : none_;
  while (queue.size() > 0) {
    const std::uint32_t slot = queue.pop();
    Member& member = members[slot];
    (late ? member.queued_late : member.queued) = false;
    if (member.wanted) return slot;  // otherwise it has changed its mind
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Planner::next(std::span<Member> members) {
  if (left_ == 0) return std::nullopt;
  const auto busy = [](const Turn& turn) { return turn.busy; };
  if (std::ranges::all_of(turns_, busy)) return std::nullopt;
  const bool late_first = taken_ % kLateTurn == kLateTurn - 1;
  auto slot = pop(members, late_first);
  if (!slot) slot = pop(members, !late_first);
  if (slot) ++taken_;
  return slot;
}

Result<void> Planner::start(std::span<Member> members, std::uint32_t slot,
                            const PathRequest& request) {
  Member& member = members[slot];
  member.wanted = false;
  left_ -= std::min(left_, kBeginning);
  const auto free = std::ranges::find(turns_, false, &Turn::busy);
  if (!free->search) free->search = ground_.make_search();
  if (auto begun = free->search->begin(request); !begun) return begun;
  ++counts_.begun;
  member.searching = true;
  free->busy = true;
  free->slot = slot;
  free->plan = member.plan;
  free->spent = 0;
  free->request = request;
  return {};
}

// One turn of one search; true if it has an end that somebody wants to know.
bool Planner::take_turn(std::span<Member> members, Turn& turn, Done& done) {
  Member& member = members[turn.slot];
  if (member.plan != turn.plan) {
    turn.busy = false;
    ++counts_.dropped;
    return false;
  }
  const std::uint32_t nodes =
      std::min({left_, options_.nodes_per_turn, options_.nodes_per_way - turn.spent});
  const Result<bool> ended = turn.search->advance(nodes);
  const bool over = !ended || *ended || turn.spent + nodes >= options_.nodes_per_way;
  if (!over) {
    turn.spent += nodes;
    left_ -= nodes;
    counts_.expanded += nodes;
    return false;
  }
  turn.busy = false;
  member.searching = false;
  done = {.slot = turn.slot, .goal = turn.request.to.point};
  Result<void> read = ended ? turn.search->path(path_) : Result<void>(ended.error());
  std::uint32_t spent = nodes;
  if (read) {
    done.path = &path_;
    // A search by clusters counts what it looks at again in each of its parts.
    spent = std::clamp(path_.expanded - std::min(path_.expanded, turn.spent), 1u, nodes);
  } else {
    done.error = read.error().code.in<Errc>(Errc::unreachable);
  }
  left_ -= spent;
  counts_.expanded += spent;
  return true;
}

std::optional<Planner::Done> Planner::advance(std::span<Member> members) {
  Done done;
  for (std::size_t idle = 0; idle < turns_.size() && left_ > 0;) {
    Turn& turn = turns_[turn_];
    turn_ = (turn_ + 1) % turns_.size();
    if (!turn.busy) {
      ++idle;
      continue;
    }
    idle = 0;
    if (take_turn(members, turn, done)) return done;
  }
  return std::nullopt;
}

}  // namespace starbus::nav::crowd
