/// A grid with a crowd on it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "nav/crowd/crowd.hpp"
#include "nav/grid/grid_ground.hpp"

namespace starbus::nav::crowd::test {

inline constexpr float kTick = 0.1F;  // s

class Scene {
 public:
  explicit Scene(std::string_view picture, const CrowdOptions& options = {},
                 const grid::GridOptions& grid = {})
      : Scene(*grid::terrain_of(picture), options, grid) {}
  explicit Scene(grid::Terrain terrain, const CrowdOptions& options = {},
                 const grid::GridOptions& grid = {}, const Agent& kind = {})
      : ground(*grid::GridGround::create(std::move(terrain), grid)),
        agent(*ground->add_agent(kind)),
        crowd(*Crowd::create(*ground, options)) {}

  Place at(float x, float y) const { return *ground->nearest({x, y, 0}, {0, 0, 100}, agent); }
  WalkerId add(float x, float y, Walker walker = {}) {
    walker.agent = agent;
    return *crowd->add(walker, at(x, y));
  }
  WalkerState state(WalkerId id) const { return *crowd->state(id); }
  Vec where(WalkerId id) const { return flat(state(id).place.point); }
  float distance(WalkerId a, WalkerId b) const { return length(where(a) - where(b)); }
  float distance(WalkerId a, float x, float y) const { return length(where(a) - Vec{x, y}); }

  /// One step; what has ended is added to `reports`.
  void step(float seconds = kTick) {
    EXPECT_TRUE(crowd->step(seconds));
    crowd->take_reports(taken_);
    reports.insert(reports.end(), taken_.begin(), taken_.end());
  }
  void run(float seconds) {
    for (float at = 0; at < seconds; at += kTick) step();
  }
  /// Until so many reports are there; false if that takes longer.
  bool until(std::size_t count, float seconds) {
    for (float at = 0; at < seconds && reports.size() < count; at += kTick) step();
    return reports.size() >= count;
  }

  std::unique_ptr<grid::GridGround> ground;
  AgentId agent;
  std::unique_ptr<Crowd> crowd;
  std::vector<Report> reports;

 private:
  std::vector<Report> taken_;
};

/// A field of so many cells a side with nothing on it.
inline grid::Terrain field(std::uint32_t side) {
  return grid::plain(side, side);
}

/// What part of the sum of their radii two walkers have come into each other, at most; 0: none.
inline float deepest(const Scene& scene, const std::vector<WalkerId>& ids, float radius) {
  std::vector<Vec> places;
  for (const WalkerId id : ids) places.push_back(scene.where(id));
  float least2 = 4 * radius * radius;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      const float dx = places[i].x - places[j].x;
      const float dy = places[i].y - places[j].y;
      least2 = std::min(least2, dx * dx + dy * dy);
    }
  }
  return 1 - std::sqrt(least2) / (2 * radius);
}

}  // namespace starbus::nav::crowd::test
