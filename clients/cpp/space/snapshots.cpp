#include "clients/cpp/space/snapshots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starbus::game {
namespace {

/// The angle between two others by the shorter way.
float turned(float from, float to, double part) {
  const double turn = std::remainder(static_cast<double>(to) - from, 2 * std::numbers::pi);
  return static_cast<float>(std::remainder(from + turn * part, 2 * std::numbers::pi));
}

/// What has come between two places after `part` of the way.
Place on_the_way(const Place& from, const Place& to, double part) {
  const auto between = [part](float a, float b) {
    return static_cast<float>(a + (static_cast<double>(b) - a) * part);
  };
  return {between(from.x, to.x), between(from.y, to.y), between(from.z, to.z)};
}

/// A time without wraps, after one that wraps. Times are doubles below 2^53.
double after(double time, std::uint32_t earlier) {
  const double whole = std::floor(time);
  const auto wrapped = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
  return since(wrapped, earlier) + (time - whole);
}

}  // namespace

void Snapshots::add(const Locomotion& move) {
  if (!all_.empty()) {
    const std::int32_t passed = since(move.at, back(0).at);
    if (passed < 0) return;
    if (passed == 0) all_.pop_back();
  }
  if (all_.size() >= kSnapshots) all_.erase(all_.begin());
  all_.push_back(move);
}

Locomotion Snapshots::at(double server_ms) const {
  if (all_.empty()) return {};
  const double late = after(server_ms, back(0).at);
  if (late >= 0) return beyond(late);
  for (std::size_t i = 1; i < all_.size(); ++i) {
    if (after(server_ms, back(i).at) < 0) continue;
    const Locomotion& to = back(i - 1);
    return between(back(i), to, -after(server_ms, to.at));
  }
  Locomotion oldest = all_.front();
  oldest.velocity = {};
  return oldest;
}

const Locomotion* Snapshots::nearest(std::uint32_t server_ms) const {
  if (all_.empty() || since(server_ms, all_.front().at) < 0) return nullptr;
  const Locomotion* found = &back(0);
  for (std::size_t i = 1; i < all_.size(); ++i) {
    const std::int32_t here = std::abs(since(server_ms, back(i).at));
    if (here < std::abs(since(server_ms, found->at))) found = &back(i);
  }
  return found;
}

bool Snapshots::is_jump(const Locomotion& from, const Locomotion& to) const {
  return ((from.teleports ^ to.teleports) & 1) != 0 ||
         distance(from.position, to.position) > static_cast<double>(options_.snap);
}

double Snapshots::step_between(const Locomotion& from, const Locomotion& to) const {
  const auto longest = static_cast<double>(options_.longest_step.count());
  return std::min(static_cast<double>(since(to.at, from.at)), longest);
}

Place Snapshots::velocity_between(const Locomotion& from, const Locomotion& to) const {
  const double seconds = step_between(from, to) / 1000;
  const auto speed = [seconds](float a, float b) {
    return static_cast<float>((static_cast<double>(b) - a) / seconds);
  };
  return {speed(from.position.x, to.position.x), speed(from.position.y, to.position.y),
          speed(from.position.z, to.position.z)};
}

Locomotion Snapshots::between(const Locomotion& from, const Locomotion& to,
                              double before_to) const {
  const double step = step_between(from, to);
  Locomotion shown = from;
  shown.velocity = {};
  if (is_jump(from, to) || before_to >= step) return shown;  // it stands, until it jumps or goes
  const double part = 1 - before_to / step;
  shown.position = on_the_way(from.position, to.position, part);
  shown.heading = turned(from.heading, to.heading, part);
  shown.pitch = turned(from.pitch, to.pitch, part);
  shown.velocity = velocity_between(from, to);
  shown.at = to.at - static_cast<std::uint32_t>(before_to);
  return shown;
}

Locomotion Snapshots::beyond(double after_newest) const {
  Locomotion shown = back(0);
  if (shown.velocity == Place{} && all_.size() > 1 && !is_jump(back(1), shown)) {
    shown.velocity = velocity_between(back(1), shown);
  }
  const auto longest = static_cast<double>(kExtrapolation.count());
  const double seconds = std::min(after_newest, longest) / 1000;
  const auto gone = [seconds](float from, float speed) {
    return static_cast<float>(from + static_cast<double>(speed) * seconds);
  };
  shown.position = {gone(shown.position.x, shown.velocity.x),
                    gone(shown.position.y, shown.velocity.y),
                    gone(shown.position.z, shown.velocity.z)};
  if (after_newest > longest) shown.velocity = {};
  return shown;
}

}  // namespace starbus::game
