#include "entity/objects/part.hpp"

#include <array>
#include <utility>

#include "base/unit_guard.hpp"

namespace starbus::entity {

std::string_view name_of(EndReason reason) {
  static constexpr std::array<std::string_view, 5> kNames = {"destroyed", "moved", "fenced",
                                                             "closing", "erased"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(StartReason reason) {
  static constexpr std::array<std::string_view, 4> kNames = {"born", "loaded", "arrived",
                                                             "resumed"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(EnterReason reason) {
  static constexpr std::array<std::string_view, 3> kNames = {"entered", "arrived", "continued"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(LeaveReason reason) {
  static constexpr std::array<std::string_view, 3> kNames = {"left", "moved", "ended"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(Hook hook) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "construct",  "init",       "activate", "enter_space",  "leave_space", "before_move",
      "after_move", "deactivate", "final",    "become_ghost", "become_real", "step"};
  return kNames.at(static_cast<std::size_t>(hook));
}

Part::Part() = default;
Part::~Part() = default;

EntityResult<> Part::keep(Subscription subscription) {
  auto& all = held().subscriptions;
  if (all.size() >= kMaxAtEnd) std::erase_if(all, [](const auto& each) { return !each.active(); });
  if (all.size() >= kMaxAtEnd) return EntityErrc::too_many_closures;
  if (held().muted) subscription.mute(true);
  all.push_back(std::move(subscription));
  return {};
}

EntityResult<> Part::at_end(std::function<void()> closure) {
  auto& all = held().closures;
  if (all.size() >= kMaxAtEnd) return EntityErrc::too_many_closures;
  all.push_back(std::move(closure));
  return {};
}

void Part::pause() {
  Held& all = held();
  all.muted = true;
  all.timers.pause();
  for (Subscription& each : all.subscriptions) each.mute(true);
}

void Part::unmute() {
  if (!held_ || !std::exchange(held_->muted, false)) return;
  for (Subscription& each : held_->subscriptions) each.mute(false);
}

/// A callback may add to the list.
void Part::let_go() {
  if (!held_) return;
  held_->timers.cancel_all();
  std::exchange(held_->subscriptions, {}).clear();
  while (!held_->closures.empty()) {
    const auto closure = std::move(held_->closures.back());
    held_->closures.pop_back();
    guarded(UnitKind::hook, closure.target_type(), closure);
  }
}

}  // namespace starbus::entity
