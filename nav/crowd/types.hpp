/// Basic values of crowds: walkers, what they are asked to do, and how that ends. Plain values.
#pragma once

#include <compare>
#include <cstdint>

#include "nav/types.hpp"

namespace starbus::nav::crowd {

/// One that walks in a crowd: a slot, which is used again, and a generation, so that a removed one
/// is not taken for its successor.
struct WalkerId {
  std::uint32_t slot = 0;  ///< from 1; 0 names none
  std::uint32_t generation = 0;
  constexpr explicit operator bool() const { return slot != 0; }
  friend constexpr auto operator<=>(const WalkerId&, const WalkerId&) = default;
};

/// What a walker is like.
struct Walker {
  AgentId agent = {};      ///< its kind, on the crowd's ground
  float radius = 0.4F;     ///< m; walkers keep as far apart as their radii
  float height = 2;        ///< m; those who are farther above or below are on another floor
  float speed = 3;         ///< m/s, at most
  float acceleration = 8;  ///< m/s2, towards where it wants to go; others may make it turn faster
  /// 0..kMaxPriority: of two that meet, one that has p more steps aside for (1 + its other's) parts
  /// of (2 + both) of the change, so that equals share it and the more important one goes on.
  std::uint32_t priority = 0;
  /// Moved by Crowd::move alone, as a player is: it makes way for nobody, and all make way for it.
  bool passive = false;
};

/// What is asked of a walker, beside where it shall go.
struct Request {
  std::uint32_t version = 0;  ///< the caller's own; its end is reported with it
  /// m in the plane, between middles; 0: as near as can be, which is half its radius from a place,
  /// and touching a walker. Nearer than touching means touching.
  float distance = 0;
  /// A goal that cannot be reached: go as near as can be, instead of `unreachable`.
  bool partial = false;
};

/// How a request ends.
enum class End : std::uint8_t {
  arrived,      ///< within the distance that was asked for
  partial,      ///< as near as it can get: no way leads farther, or it is stuck
  unreachable,  ///< no way leads there
  target_lost,  ///< the walker that it was to reach has been removed
  cancelled,    ///< by cancel, remove or teleport, or by the request after it
};

/// Each request that was accepted ends in one.
struct Report {
  WalkerId walker;
  std::uint32_t version = 0;  ///< of the request
  End end = End::arrived;
  bool stuck = false;  ///< partial: others were in the way for too long
  friend bool operator==(const Report&, const Report&) = default;
};

/// What a walker does.
enum class Doing : std::uint8_t {
  idle,      ///< has no request
  planning,  ///< waits for its way to be found
  walking,
  waiting,  ///< follows, and is near enough
  on_link,  ///< is on its way over a link: nobody is in its way there
};

/// A walker as it is now.
struct WalkerState {
  Place place;
  Point velocity;  ///< m/s
  Doing doing = Doing::idle;
  std::uint32_t version = 0;  ///< of its request, or of the last one that it had
};

/// Name of what a walker does, for operators.
constexpr const char* name_of(Doing doing) {
  constexpr const char* kNames[] = {"idle", "planning", "walking", "waiting", "on_link"};
  return kNames[static_cast<std::size_t>(doing)];
}

/// Name of an end, for logs.
constexpr const char* name_of(End end) {
  constexpr const char* kNames[] = {"arrived", "partial", "unreachable", "target_lost",
                                    "cancelled"};
  return kNames[static_cast<std::size_t>(end)];
}

}  // namespace starbus::nav::crowd
