#include "nodes/space/sight/sight_view.hpp"

#include <algorithm>
#include <utility>

namespace starbus::nodes::sight {

movement::MoveResult<SightView> SightView::create(const ViewOptions& options) {
  if (!(options.fine >= 0)) return Error(movement::MoveErrc::bad_option, "fine");
  if (options.budget < kLeastBudget || options.budget > kMostBudget) {
    return Error(movement::MoveErrc::bad_option, "budget");
  }
  auto schedule = movement::SightSchedule::create(options.schedule);
  if (!schedule) return schedule.error();
  return SightView(options, std::move(*schedule));
}

SightView::SightView(const ViewOptions& options, movement::SightSchedule schedule)
    : options_(options), schedule_(std::move(schedule)) {}

// --- what is in sight ----------------------------------------------------------------------------

bool SightView::enters(aoi::EntityId target, std::shared_ptr<Subject> subject) {
  if (const auto known = places_.find(target.value); known != places_.end()) {
    Seen& seen = at(known->second);
    // It was not told that it had left: nothing has happened.
    if (seen.state == State::leaving) {
      seen.state = State::told;
      schedule_if_moving(known->second, 0);
    }
    return true;
  }
  if (free_.empty() && seen_.size() >= kMostSeen) return false;
  if (free_.empty()) {
    seen_.emplace_back();
    free_.push_back(static_cast<std::uint16_t>(seen_.size()));
  }
  const std::uint16_t index = free_.back();
  free_.pop_back();
  Seen& seen = at(index);
  seen.subject = std::move(subject);
  seen.target = target.value;
  places_.emplace(target.value, index);
  want(index);
  return true;
}

void SightView::leaves(aoi::EntityId target) {
  const auto known = places_.find(target.value);
  if (known == places_.end()) return;
  const std::uint16_t index = known->second;
  Seen& seen = at(index);
  if (seen.state == State::wanted) return give_free(index);
  if (seen.state == State::told) static_cast<void>(schedule_.remove(index));
  seen.state = State::leaving;
  goes(index);
}

void SightView::want(std::uint16_t index) {
  Seen& seen = at(index);
  seen.state = State::wanted;
  if (!std::exchange(seen.in_wanted, true)) wanted_.push_back(index);
}

void SightView::goes(std::uint16_t index) {
  if (!std::exchange(at(index).in_leaving, true)) leaving_.push_back(index);
}

/// It may stand in a list still, and is passed by there.
void SightView::give_free(std::uint16_t index) {
  Seen& seen = at(index);
  places_.erase(seen.target);
  seen.subject = nullptr;
  seen.state = State::free;
  free_.push_back(index);
}

/// It was told, and cannot be shown any more: it leaves, and comes again once it can.
void SightView::renew(std::uint16_t index) {
  static_cast<void>(schedule_.remove(index));
  at(index).state = State::renewed;
  goes(index);
}

void SightView::schedule_if_moving(std::uint16_t index, float distance) {
  if (at(index).subject->moved() != 0) static_cast<void>(schedule_.add(index, distance));
}

void SightView::forget_all() {
  seen_.clear();
  free_.clear();
  wanted_.clear();
  places_.clear();
  begin_scene();
}

// --- scenes --------------------------------------------------------------------------------------

void SightView::begin_scene() {
  scene_due_ = true;
  scene_told_ = false;
  open_ = false;
  leaving_.clear();
  news_from_ = 0;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(i + 1);
    Seen& seen = seen_[i];
    seen.in_leaving = false;
    if (seen.state == State::told) static_cast<void>(schedule_.remove(index));
    if (seen.state == State::leaving) give_free(index);
    if (seen.state != State::free) want(index);
  }
  if (seen_.empty()) schedule_ = *movement::SightSchedule::create(options_.schedule);
}

void SightView::tell_scene(Scene& scene, bus::Bytes& out) {
  scene.number = ++number_;
  SightWriter(out).scene(scene);
  scene_due_ = false;
  scene_told_ = true;
}

bool SightView::ready(std::uint32_t number) {
  if (!scene_told_ || number != number_) return false;
  open_ = true;
  return true;
}

}  // namespace starbus::nodes::sight
