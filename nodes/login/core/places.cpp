#include "nodes/login/core/places.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::login {
namespace {

/// Seconds of which a measurement that still counts may not know.
constexpr std::size_t kSeconds = (kMeasureAge + kMeasureLag) / std::chrono::seconds(1) + 2;

}  // namespace

void Places::measured(const Measured& measured, Time now) {
  refill(now);
  measured_ = measured;
  measured_at_ = now;
}

void Places::nodes(const std::string& role, const std::vector<NodeBusy>& nodes, Time now) {
  refill(now);
  loads_.report(role, nodes, now);
}

double Places::rate(Time now) {
  return measured_ ? options_.per_second / 1'000.0 * loads_.share(now) : 0;
}

void Places::refill(Time now) {
  const auto passed = static_cast<double>((now - refilled_).count());
  refilled_ = now;
  // What a second brings, so that a loop that was busy for a moment loses nothing.
  const double rate = this->rate(now);
  tokens_ = std::min(tokens_ + passed * rate, std::max(1.0, rate * 1'000));
}

bool Places::known(Time now) const {
  return measured_ && now - measured_at_ <= kMeasureAge;
}

std::uint64_t Places::on_their_way() const {
  std::uint64_t players = 0;
  for (const auto& [second, count] : entered_) players += count;
  return players;
}

bool Places::room(Time now) {
  if (!known(now)) return false;
  const std::int64_t shown = (measured_at_ - kMeasureLag).count() / 1'000;
  while (!entered_.empty() && entered_.front().first < shown) entered_.pop_front();
  return measured_->sessions + on_their_way() < measured_->most;
}

bool Places::take(Time now) {
  refill(now);
  if (tokens_ < 1 || rate(now) == 0 || !room(now)) return false;
  enter(now);
  return true;
}

void Places::enter(Time now) {
  loads_.entered(now);
  tokens_ = std::max(0.0, tokens_ - 1);
  const std::int64_t second = now.count() / 1'000;
  if (entered_.empty() || entered_.back().first != second) entered_.emplace_back(second, 0);
  ++entered_.back().second;
  if (entered_.size() > kSeconds) entered_.pop_front();
}

void Places::give_back() {
  loads_.left();
  if (entered_.empty()) return;
  if (--entered_.back().second == 0) entered_.pop_back();
}

std::optional<Time> Places::next(Time now) {
  refill(now);
  if (!room(now)) return std::nullopt;
  const double rate = this->rate(now);
  if (rate == 0) return loads_.next(now);
  if (tokens_ >= 1) return now;
  return now + Time(static_cast<std::int64_t>(std::ceil((1 - tokens_) / rate)));
}

PlacesView Places::view(Time now) {
  refill(now);
  PlacesView view;
  view.rate = rate(now) * 1'000;
  view.roles = loads_.view(now);
  const bool room = this->room(now);
  if (measured_) {
    view.sessions = measured_->sessions;
    view.most = measured_->most;
    view.on_their_way = on_their_way();
  }
  if (!known(now)) {
    view.hold = Hold::gates_unknown;
  } else if (!room) {
    view.hold = Hold::gates_full;
  } else if (view.rate == 0) {
    view.hold = Hold::nodes;
  } else if (tokens_ < 1) {
    view.hold = Hold::rate;
  }
  return view;
}

const char* name_of(Hold hold) {
  constexpr const char* kNames[] = {"nothing", "rate", "gates_unknown", "gates_full", "nodes"};
  return kNames[static_cast<std::size_t>(hold)];
}

std::string why(const PlacesView& view, const LoadOptions& options) {
  if (view.hold == Hold::gates_unknown) return "gates: none has reported; start one, or look at it";
  if (view.hold == Hold::gates_full) {
    return "gates: full, " + std::to_string(view.sessions) + " sessions and " +
           std::to_string(view.on_their_way) + " on their way, of " + std::to_string(view.most);
  }
  if (view.hold != Hold::nodes) return {};
  for (const RoleView& role : view.roles) {
    if (role.open) continue;
    const std::string name = "role " + role.role + ": ";
    if (role.state == RoleState::missing) return name + "no ready node; start one";
    if (role.state == RoleState::unknown) return name + "no report; look at the manager";
    return name + "full, " + std::to_string(role.load) + " of " + std::to_string(options.none) +
           " ms per second; it opens at " + std::to_string(options.full);
  }
  return {};
}

}  // namespace starbus::nodes::login
