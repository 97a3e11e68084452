/// Half planes beside what sampling finds, and the program beside a search of the whole disc.
#include "nav/crowd/orca.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "tests/nav/reference.hpp"

namespace starbus::nav::crowd::test {
namespace {

using grid::test::Chance;

float between(Chance& chance, float low, float high) {
  return low + (high - low) * static_cast<float>(chance.below(1'000'001)) / 1e6F;
}

Vec any_vec(Chance& chance, float most) {
  return {between(chance, -most, most), between(chance, -most, most)};
}

// The least distance of two points, of which one moves relative to the other for so long.
float least_distance(Vec there, Vec velocity, float seconds) {
  const float speed2 = square(velocity);
  const float when = speed2 > 0 ? std::clamp(dot(there, velocity) / speed2, 0.0F, seconds) : 0.0F;
  return length(there - velocity * when);
}

TEST(Orca, TwoWhoKeepToTheirPlanesDoNotMeet) {
  Chance chance(71);
  int pairs = 0;
  for (int round = 0; round < 400; ++round) {
    const Disc a{any_vec(chance, 3), any_vec(chance, 3), between(chance, 0.2F, 1)};
    const Disc b{any_vec(chance, 3), any_vec(chance, 3), between(chance, 0.2F, 1)};
    const float reach = a.radius + b.radius;
    if (length(b.at - a.at) < reach * 1.01F) continue;
    const float share = between(chance, 0, 1);
    const HalfPlane mine = avoid(a, b, share, 2, 0.1F, {1, 0});
    const HalfPlane theirs = avoid(b, a, 1 - share, 2, 0.1F, {-1, 0});
    for (int i = 0; i < 200; ++i) {
      const Vec va = any_vec(chance, 5);
      const Vec vb = any_vec(chance, 5);
      if (mine.breach(va) > 0 || theirs.breach(vb) > 0) continue;
      ++pairs;
      ASSERT_GE(least_distance(b.at - a.at, va - vb, 2), reach - 1e-3F) << round;
    }
  }
  EXPECT_GT(pairs, 5'000);
}

// The change is the least that there is: nothing nearer to the velocity is safe.
TEST(Orca, ThePlaneAsksForTheLeastChange) {
  Chance chance(72);
  int changed = 0;
  for (int round = 0; round < 600; ++round) {
    const Disc a{{}, any_vec(chance, 3), 0.5F};
    const Disc b{any_vec(chance, 4), any_vec(chance, 3), 0.5F};
    if (length(b.at) < 1.05F) continue;
    const HalfPlane plane = avoid(a, b, 1, 2, 0.1F, {1, 0});
    const float asked = plane.breach(a.velocity);
    const auto safe = [&](Vec velocity) {
      return least_distance(b.at, velocity - b.velocity, 2) >= 1;
    };
    if (!safe(a.velocity)) {
      ASSERT_GT(asked, -1e-3F);
      ++changed;
    } else {
      ASSERT_LT(asked, 1e-3F);
    }
    for (int i = 0; i < 300; ++i) {
      const Vec there = any_vec(chance, 1);
      const float most = std::abs(asked) * 0.98F;
      const Vec other = a.velocity + at_most(there, 1) * most;
      ASSERT_EQ(safe(other), safe(a.velocity)) << "within the distance, all are alike";
    }
  }
  EXPECT_GT(changed, 50);
}

TEST(Orca, WhoOverlapsIsApartAfterAStep) {
  const Disc a{{0, 0}, {}, 0.5F};
  const Disc b{{0.6F, 0}, {}, 0.5F};
  const HalfPlane plane = avoid(a, b, 0.5F, 2, 0.1F, {1, 0});
  EXPECT_FLOAT_EQ(plane.normal.x, -1);
  EXPECT_NEAR(plane.least, 0.4F / 0.1F / 2, 1e-4) << "half of what is too near";
  const HalfPlane same = avoid(a, a, 0.5F, 2, 0.1F, {-1, 0});
  EXPECT_EQ(same.normal, (Vec{-1, 0})) << "in the same place, as it is told";
}

// Whether a point meets the segment within so many seconds, by a fine sampling of its way.
bool meets(Vec velocity, Vec from, Vec to, float seconds) {
  // Solved in the plane: velocity * t = from + (to - from) * s.
  const Vec wall = to - from;
  const float bend = det(velocity, wall);
  if (std::abs(bend) < 1e-6F) return false;
  const float t = det(from, wall) / bend;
  const float s = det(from, velocity) / bend;
  return t >= 0 && t <= seconds && s >= 0 && s <= 1;
}

TEST(Orca, WhoKeepsOffAWallDoesNotMeetIt) {
  Chance chance(73);
  int allowed = 0;
  int forbidden = 0;
  for (int round = 0; round < 1'000; ++round) {
    const Vec from = any_vec(chance, 3);
    const Vec to = any_vec(chance, 3);
    const Vec velocity = any_vec(chance, 4);
    const auto plane = keep_off(velocity, from, to, 0.5F);
    if (!plane) {
      const float distance = det(from, to) / std::max(length(to - from), 1e-6F);
      ASSERT_LT(distance, 2e-3F) << "it faces the point, which must keep off it";
      continue;
    }
    ASSERT_LE(plane->least, 0) << "standing still is allowed";
    ASSERT_NEAR(length(plane->normal), 1, 1e-4);
    const bool hit = meets(velocity, from, to, 0.5F);
    if (hit) {
      ASSERT_GT(plane->breach(velocity), -1e-3F);
    } else {
      ASSERT_LT(plane->breach(velocity), 1e-3F) << "a velocity that is safe stays allowed";
    }
    for (int i = 0; i < 100; ++i) {
      const Vec other = any_vec(chance, 6);
      if (plane->breach(other) > -1e-3F) {
        ++forbidden;
        continue;
      }
      ++allowed;
      ASSERT_FALSE(meets(other, from, to, 0.5F)) << round;
    }
  }
  EXPECT_GT(allowed, 10'000);
  EXPECT_GT(forbidden, 1'000);
}

// -- The program

HalfPlane any_plane() {
  // From whole numbers, so that it shrinks.
  const float x = static_cast<float>(*rc::gen::inRange(-8, 9));
  float y = static_cast<float>(*rc::gen::inRange(-8, 9));
  if (x == 0 && y == 0) y = 1;
  const float size = std::sqrt(x * x + y * y);
  return {{x / size, y / size}, static_cast<float>(*rc::gen::inRange(-12, 9)) / 4};
}

float worst(std::span<const HalfPlane> planes, Vec velocity) {
  float most = 0;
  for (const HalfPlane& plane : planes) most = std::max(most, plane.breach(velocity));
  return most;
}

// All velocities on a grid of the disc.
template <class Each>
void over_disc(float speed, Each each) {
  constexpr int kSide = 60;
  for (int x = -kSide; x <= kSide; ++x) {
    for (int y = -kSide; y <= kSide; ++y) {
      const Vec velocity = Vec{static_cast<float>(x), static_cast<float>(y)} * (speed / kSide);
      if (square(velocity) <= speed * speed) each(velocity);
    }
  }
}

TEST(Program, FindsWhatASearchOfTheDiscFinds) {
  int feasible = 0;
  int infeasible = 0;
  EXPECT_TRUE(rc::check([&] {
    const auto count = *rc::gen::inRange<std::size_t>(0, kMaxPlanes + 1);
    const std::size_t hard = count == 0 ? 0 : *rc::gen::inRange<std::size_t>(0, count / 3 + 1);
    std::vector<HalfPlane> planes;
    for (std::size_t i = 0; i < count; ++i) planes.push_back(any_plane());
    for (std::size_t i = 0; i < hard; ++i) planes[i].least = std::min(planes[i].least, 0.0F);
    const Vec wish{static_cast<float>(*rc::gen::inRange(-12, 13)) / 4,
                   static_cast<float>(*rc::gen::inRange(-12, 13)) / 4};
    constexpr float kSpeed = 2;
    const Solution found = best_velocity(planes, hard, wish, kSpeed);
    const auto walls = std::span(planes).first(hard);
    RC_ASSERT(length(found.velocity) <= kSpeed + 1e-3F);
    RC_ASSERT(worst(walls, found.velocity) <= 1e-3F);
    float nearest = 1e9F;      // of those sampled that are within all
    float least_worst = 1e9F;  // of those within the hard ones
    over_disc(kSpeed, [&](Vec velocity) {
      if (worst(walls, velocity) > 0) return;
      const float breach = worst(planes, velocity);
      least_worst = std::min(least_worst, breach);
      if (breach <= 0) nearest = std::min(nearest, length(velocity - wish));
    });
    if (found.feasible) {
      ++feasible;
      RC_ASSERT(worst(planes, found.velocity) <= 1e-3F);
      RC_ASSERT(length(found.velocity - wish) <= nearest + 1e-3F);
    } else {
      ++infeasible;
      RC_ASSERT(nearest > 1e8F || least_worst > -1e-3F);
      RC_ASSERT(worst(planes, found.velocity) <= least_worst + 1e-3F);
    }
  }));
  EXPECT_GT(feasible, 5);
  EXPECT_GT(infeasible, 5);
}

}  // namespace
}  // namespace starbus::nav::crowd::test
