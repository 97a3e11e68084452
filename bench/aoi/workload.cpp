#include "bench/aoi/workload.hpp"

#include <cmath>
#include <numbers>

namespace starbus::bench::aoi {
namespace {

constexpr double kLongestStep = 3;

float bounced(double at, float size) {
  if (at < 0) at = -at;
  if (at > size) at = 2 * double{size} - at;
  return static_cast<float>(at);
}

}  // namespace

Crowd::Crowd(const Workload& workload)
    : x(workload.entities),
      y(workload.entities),
      workload_(workload),
      state_(20240607),
      moves_(workload.entities) {
  movers_.reserve(workload.entities);
  for (std::uint32_t i = 0; i < workload.entities; ++i) place(i);
}

// splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t Crowd::random(std::uint64_t below) {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) % below;
}

double Crowd::uniform() {
  return static_cast<double>(random(1u << 30)) / double{1u << 30};
}

void Crowd::place(std::uint32_t entity) {
  x[entity] = static_cast<float>(uniform() * double{workload_.size});
  y[entity] = static_cast<float>(uniform() * double{workload_.size});
}

void Crowd::step() {
  movers_.clear();
  for (std::uint32_t i = 0; i < workload_.entities; ++i) {
    moves_[i] = workload_.moving >= 1 || uniform() < workload_.moving ? 1 : 0;
    if (moves_[i] == 0) continue;
    const double angle = uniform() * 2 * std::numbers::pi;
    const double length = uniform() * kLongestStep;
    x[i] = bounced(double{x[i]} + length * std::cos(angle), workload_.size);
    y[i] = bounced(double{y[i]} + length * std::sin(angle), workload_.size);
    movers_.push_back(i);
  }
}

void Crowd::scatter(std::uint32_t count) {
  for (; count > 0; --count) {
    const auto one = static_cast<std::uint32_t>(random(workload_.entities));
    place(one);
    if (moves_[one] == 0) movers_.push_back(one);
    moves_[one] = 1;
  }
}

}  // namespace starbus::bench::aoi
