#include "nodes/nav/crowd_work.hpp"

#include <algorithm>
#include <utility>

#include "nodes/nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

using nav::crowd::Crowd;
using nav::crowd::Doing;
using nav::crowd::End;

std::chrono::nanoseconds steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

template <class Command>
constexpr std::uint32_t version_of(const Command& command) {
  if constexpr (requires { command.version; }) {
    return command.version;
  } else {
    return 0;
  }
}

template <class T>
Result<> outcome(const nav::Result<T>& done) {
  if (done) return {};
  return done.error();
}

}  // namespace

Result<std::unique_ptr<CrowdWork>> CrowdWork::create(std::shared_ptr<const Map> map,
                                                     const CrowdSpec& spec, Clock clock) {
  if (spec.obstacles != 0) {
    return Error(Errc::bad_request, "obstacles: a map that crowds share has none");
  }
  return make(std::move(map), spec, std::move(clock));
}

Result<std::unique_ptr<CrowdWork>> CrowdWork::create_own(std::shared_ptr<Map> map,
                                                         const CrowdSpec& spec, Clock clock) {
  if (spec.obstacles > kMaxBlocks) {
    return Error(Errc::bad_request,
                 "obstacles: at most " + std::to_string(kMaxBlocks) + " in a crowd");
  }
  nav::Ground& ground = map->ground();
  auto made = make(std::move(map), spec, std::move(clock));
  if (made) {
    (*made)->changes_ = &ground;
    (*made)->obstacles_.resize(spec.obstacles);
  }
  return made;
}

Result<std::unique_ptr<CrowdWork>> CrowdWork::make(std::shared_ptr<const Map> map,
                                                   const CrowdSpec& spec, Clock clock) {
  if (!(spec.reach > 0 && spec.reach <= static_cast<float>(kMaxSnap))) {
    return Error(Errc::bad_request,
                 "reach: above 0, and at most " + std::to_string(kMaxSnap) + " m");
  }
  nav::crowd::CrowdOptions options;
  options.walkers = spec.walkers;
  options.nodes_per_step = spec.nodes_per_step;
  options.nodes_per_turn = std::min(options.nodes_per_turn, spec.nodes_per_step);
  auto crowd = Crowd::create(map->ground(), options);
  if (!crowd) return Error(Errc::bad_request, crowd.error().to_string());
  if (!clock) clock = steady_now;
  return std::unique_ptr<CrowdWork>(
      new CrowdWork(std::move(map), spec, *std::move(crowd), std::move(clock)));
}

CrowdWork::CrowdWork(std::shared_ptr<const Map> map, const CrowdSpec& spec,
                     std::unique_ptr<Crowd> crowd, Clock clock)
    : map_(std::move(map)),
      reach_(spec.reach),
      crowd_(std::move(crowd)),
      clock_(std::move(clock)),
      rows_(spec.walkers),
      slot_of_(spec.walkers) {}

/// Its space takes the command before for ended, so it is: nobody walks on for an old one.
template <class Command>
void CrowdWork::refuse(const Command& command, const Error& why, Answer& answer) {
  if constexpr (requires { command.obstacle; }) {
    answer.refused.push_back({.walker = {}, .why = why, .obstacle = command.obstacle});
  } else {
    if (Row* const row = find(command.walker); row != nullptr) {
      if constexpr (std::is_same_v<Command, GoTo> || std::is_same_v<Command, Chase>) {
        if (crowd_->cancel(row->walker)) row->version = command.version;
      } else if constexpr (std::is_same_v<Command, Teleport>) {
        if (crowd_->remove(row->walker)) drop(*row);
      }
    }
    answer.refused.push_back({.walker = command.walker,
                              .version = version_of(command),
                              .gone = find(command.walker) == nullptr,
                              .why = why});
  }
}

Answer CrowdWork::step(const Batch& batch) {
  const auto began = clock_();
  Answer answer;
  answer.number = batch.number;
  for (const Request& request : batch.requests) {
    const auto attempt = [&] {
      return std::visit([this](const auto& each) { return apply(each); }, request);
    };
    auto done = attempt();
    if (!done && done.error() == nav::Errc::too_many) {  // reports fill their room: make some
      take_reports(answer);
      done = attempt();
    }
    if (done) continue;
    std::visit([&](const auto& each) { refuse(each, done.error(), answer); }, request);
  }
  take_reports(answer);
  answer.passed_us = pass(batch, began, answer);
  tell_moved(answer);
  if (batch.ways) tell_ways(answer);
  return answer;
}

// --- requests ------------------------------------------------------------------------------------

CrowdWork::Row* CrowdWork::find(const WalkerName& name) {
  if (name.slot == 0 || name.slot > rows_.size() || name.generation == 0) return nullptr;
  Row& row = rows_[name.slot - 1];
  return row.generation == name.generation ? &row : nullptr;
}

Result<nav::Place> CrowdWork::place(const Point& at, nav::AgentId kind) const {
  auto found = map_->ground().nearest(at, {reach_, reach_, reach_}, kind);
  if (found) return *found;
  return Error(found.error() == nav::Errc::bad_start ? Code(Errc::no_place) : found.error().code);
}

Result<> CrowdWork::apply(const Add& add) {
  const WalkerName& name = add.walker;
  if (name.slot == 0 || name.slot > rows_.size() || name.generation == 0) {
    return Errc::unknown_walker;
  }
  Row& row = rows_[name.slot - 1];
  if (row.generation != 0) {
    if (const auto removed = crowd_->remove(row.walker); !removed) return removed.error();
    drop(row);
  }
  if (add.kind >= map_->kinds().size()) return Error(Errc::bad_request, "no such kind of walkers");
  const nav::AgentId kind = map_->kinds()[add.kind];
  const auto at = place(add.at, kind);
  if (!at) return at.error();
  const auto walker = crowd_->add({.agent = kind,
                                   .radius = add.radius,
                                   .height = add.height,
                                   .speed = add.speed,
                                   .acceleration = add.acceleration,
                                   .priority = add.priority,
                                   .passive = add.passive},
                                  *at);
  if (!walker) return walker.error();
  row.generation = name.generation;
  row.walker = *walker;
  row.version = add.version;
  row.kind = kind;
  row.passive = add.passive;
  slot_of_[walker->slot - 1] = name.slot;
  return {};
}

Result<> CrowdWork::apply(const Remove& remove) {
  Row* const row = find(remove.walker);
  if (row == nullptr) return {};  // it was refused, or has been replaced
  if (const auto removed = crowd_->remove(row->walker); !removed) return removed.error();
  drop(*row);
  return {};
}

void CrowdWork::drop(Row& row) {
  slot_of_[row.walker.slot - 1] = 0;
  row = {};
}

Result<> CrowdWork::apply(const GoTo& go) {
  Row* const row = find(go.walker);
  if (row == nullptr) return Errc::unknown_walker;
  const auto goal = place(go.goal, row->kind);
  if (!goal) return goal.error();
  const auto asked = crowd_->go_to(
      row->walker, *goal, {.version = go.version, .distance = go.distance, .partial = go.partial});
  if (asked) row->version = go.version;
  return outcome(asked);
}

Result<> CrowdWork::apply(const Chase& chase) {
  Row* const row = find(chase.walker);
  Row* const target = find(chase.target);
  if (row == nullptr) return Errc::unknown_walker;
  if (target == nullptr) return Error(Errc::unknown_walker, "the target is not in the crowd");
  if (row == target) return Errc::same_walker;
  const nav::crowd::Request request{
      .version = chase.version, .distance = chase.distance, .partial = chase.partial};
  const auto asked = chase.follow ? crowd_->follow(row->walker, target->walker, request)
                                  : crowd_->approach(row->walker, target->walker, request);
  if (asked) row->version = chase.version;
  return outcome(asked);
}

Result<> CrowdWork::apply(const Cancel& cancel) {
  Row* const row = find(cancel.walker);
  if (row == nullptr) return Errc::unknown_walker;
  const auto done = crowd_->cancel(row->walker);
  if (done) row->version = cancel.version;
  return outcome(done);
}

Result<> CrowdWork::apply(const Teleport& teleport) {
  Row* const row = find(teleport.walker);
  if (row == nullptr) return Errc::unknown_walker;
  const auto to = place(teleport.at, row->kind);
  if (!to) return to.error();
  const auto done = crowd_->teleport(row->walker, *to);
  if (done) row->version = teleport.version;
  return outcome(done);
}

/// A player may jump and climb where the map has no ground: it is where it was last seen on some.
Result<> CrowdWork::apply(const Push& push) {
  Row* const row = find(push.walker);
  if (row == nullptr) return Errc::unknown_walker;
  const auto to = place(push.at, row->kind);
  if (!to && to.error() == Errc::no_place) {
    ++counts_.off_ground;
    return {};
  }
  if (!to) return to.error();
  return outcome(crowd_->move(row->walker, *to, push.velocity));
}

// --- obstacles -----------------------------------------------------------------------------------

nav::ObstacleId* CrowdWork::obstacle(std::uint32_t number) {
  return number == 0 || number > obstacles_.size() ? nullptr : &obstacles_[number - 1];
}

Result<> CrowdWork::take_away(nav::ObstacleId& obstacle) {
  if (!obstacle) return {};
  return outcome(changes_->remove_obstacle(std::exchange(obstacle, {})));
}

/// Walkers look for other ways with the next step of the crowd.
Result<> CrowdWork::apply(const Block& block) {
  nav::ObstacleId* const row = obstacle(block.obstacle);
  if (row == nullptr) {
    return Error(Errc::bad_request,
                 "obstacles: the crowd has " + std::to_string(obstacles_.size()));
  }
  if (const auto taken = take_away(*row); !taken) return taken.error();
  const auto added = changes_->add_obstacle({.box = block.box, .area = block.area});
  if (added) *row = *added;
  return outcome(added);
}

Result<> CrowdWork::apply(const Unblock& unblock) {
  nav::ObstacleId* const row = obstacle(unblock.obstacle);
  return row == nullptr ? Result<>() : take_away(*row);
}

// --- time ----------------------------------------------------------------------------------------

/// What the space has ended itself it knows.
void CrowdWork::take_reports(Answer& answer) {
  crowd_->take_reports(reports_);
  for (const auto& report : reports_) {
    if (report.end == End::cancelled) continue;
    const std::uint32_t slot = slot_of_[report.walker.slot - 1];
    if (slot == 0 || rows_[slot - 1].walker != report.walker) continue;
    answer.ended.push_back(
        {{slot, rows_[slot - 1].generation}, report.version, report.end, report.stuck});
  }
}

/// Equal steps; how much time they were, in us.
std::uint32_t CrowdWork::pass(const Batch& batch, std::chrono::nanoseconds began, Answer& answer) {
  using std::chrono::microseconds;
  constexpr auto kMost = static_cast<std::uint32_t>(microseconds(kMaxPassed).count());
  constexpr auto kStep = static_cast<std::uint32_t>(microseconds(kLongestStep).count());
  const std::uint32_t most = std::min(batch.passed_us, kMost);
  const std::uint32_t steps = (most + kStep - 1) / kStep;
  std::uint32_t done = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (step > 0 && clock_() - began >= kBatchBudget) break;
    const std::uint32_t until = most * (step + 1) / steps;
    const auto stepped = crowd_->step(static_cast<float>(until - done) / 1e6F);
    if (!stepped) break;  // below what a step may be
    done = until;
    ++counts_.steps;
    note_moved();
    take_reports(answer);
  }
  counts_.left_out_us += batch.passed_us - done;
  return done;
}

void CrowdWork::note_moved() {
  for (const auto& walker : crowd_->moved()) {
    const std::uint32_t slot = slot_of_[walker.slot - 1];
    if (slot != 0) rows_[slot - 1].moved = true;
  }
}

/// Who has stopped is told once more, so that it does not seem to go on.
void CrowdWork::tell_moved(Answer& answer) {
  for (std::uint32_t slot = 1; slot <= rows_.size(); ++slot) {
    Row& row = rows_[slot - 1];
    if (row.generation == 0 || row.passive) continue;
    const bool moved = std::exchange(row.moved, false);
    if (!moved && !row.walking) continue;
    row.walking = moved;
    const auto state = crowd_->state(row.walker);
    if (!state) continue;
    answer.moved.push_back({{slot, row.generation},
                            row.version,
                            state->place.point,
                            moved ? state->velocity : Point{},
                            state->doing});
  }
}

void CrowdWork::tell_ways(Answer& answer) const {
  for (std::uint32_t slot = 1; slot <= rows_.size(); ++slot) {
    const Row& row = rows_[slot - 1];
    if (row.generation == 0 || row.passive) continue;
    const auto corners = crowd_->corners(row.walker);
    if (!corners || corners->empty()) continue;
    answer.ways.push_back({{slot, row.generation}, {corners->begin(), corners->end()}});
  }
}

}  // namespace starbus::nodes::crowds
