#include "nodes/login/core/places.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::login {

void Places::measured(const Measured& measured, Time now) {
  refill(now);
  measured_ = measured;
  measured_at_ = now;
}

double Places::rate() const {
  if (!measured_ || measured_->load >= options_.load_none) return 0;
  const double whole = options_.per_second / 1'000.0;
  if (measured_->load <= options_.load_full) return whole;
  return whole * (options_.load_none - measured_->load) / (options_.load_none - options_.load_full);
}

void Places::refill(Time now) {
  const auto passed = static_cast<double>((now - refilled_).count());
  refilled_ = now;
  // What a second brings, so that a loop that was busy for a moment loses nothing.
  tokens_ = std::min(tokens_ + passed * rate(), std::max(1.0, rate() * 1'000));
}

bool Places::room(Time now) {
  if (!measured_ || now - measured_at_ > kMeasureAge) return false;
  const std::int64_t shown = (measured_at_ - kMeasureLag).count() / 1'000;
  while (!entered_.empty() && entered_.front().first < shown) entered_.pop_front();
  std::uint64_t sessions = measured_->sessions;
  for (const auto& [second, count] : entered_) sessions += count;
  return sessions < measured_->most;
}

bool Places::take(Time now) {
  refill(now);
  if (tokens_ < 1 || rate() == 0 || !room(now)) return false;
  tokens_ -= 1;
  const std::int64_t second = now.count() / 1'000;
  if (entered_.empty() || entered_.back().first != second) entered_.emplace_back(second, 0);
  ++entered_.back().second;
  return true;
}

void Places::give_back() {
  if (entered_.empty()) return;
  if (--entered_.back().second == 0) entered_.pop_back();
}

std::optional<Time> Places::next(Time now) {
  refill(now);
  if (rate() == 0 || !room(now)) return std::nullopt;
  if (tokens_ >= 1) return now;
  return now + Time(static_cast<std::int64_t>(std::ceil((1 - tokens_) / rate())));
}

}  // namespace starbus::nodes::login
