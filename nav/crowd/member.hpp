/// Member: what a crowd keeps of a walker. For nav/crowd alone.
#pragma once

#include <array>
#include <cstdint>

#include "nav/crowd/limits.hpp"
#include "nav/crowd/types.hpp"
#include "nav/crowd/vec.hpp"
#include "nav/ground.hpp"

namespace starbus::nav::crowd {

enum class Task : std::uint8_t { none, go, approach, follow };

/// A way, as far as it is kept.
struct Corridor {
  std::array<Point, kMaxCorners> corners;
  std::uint32_t links = 0;    ///< by corner: a link leads from it to the next
  std::uint8_t count = 0;     ///< 0: there is none
  std::uint8_t at = 0;        ///< the corner that it goes to; 0 if there is none
  bool complete = false;      ///< the last corner is where it was to lead
  bool cut = false;           ///< there are more corners than there is room for
  std::uint64_t version = 0;  ///< of the ground
  Point goal;                 ///< that it was to lead to

  /// There is none any more.
  void clear() { count = at = 0; }
  bool last() const { return at + 1 == count; }
  bool begins_link() const { return (links >> at & 1) != 0; }
};

/// A link that is being walked over.
struct Crossing {
  Point from;
  Point to;
  std::int64_t took = 0;   ///< us
  std::int64_t takes = 0;  ///< us; 0: there is none
};

struct Member {
  // Who it is
  Walker of;
  std::uint32_t generation = 0;
  bool alive = false;
  // Where it is
  Place place;
  Vec velocity;
  Vec wish;            ///< where it wants to go, m/s
  float held_up = 0;   ///< 0..1: how much slower it goes than it wants to, of late
  bool moved = false;  ///< in the last step
  // What it is asked
  Task task = Task::none;
  Doing doing = Doing::idle;
  bool ended = false;  ///< its end is to be reported as soon as there is room
  End end = End::arrived;
  bool stuck = false;
  Request request;
  Place goal;             ///< of go_to
  WalkerId target;        ///< of approach and follow
  bool straight = false;  ///< to the target, which it sees
  bool short_of = false;  ///< waits where no way leads farther
  // How it gets there
  std::uint32_t plan = 0;    ///< rises whenever what was asked for is of no use any more
  bool wanted = false;       ///< a way
  bool searching = false;    ///< one is being found
  bool queued = false;       ///< among those who have no way
  bool queued_late = false;  ///< among those who have an old one
  Corridor corridor;
  Crossing crossing;
  // us
  std::int64_t look_at = 0;      ///< when it looks ahead again
  bool looks = false;            ///< in this step
  bool deflected = false;        ///< since it has looked: it may be off its way
  std::int64_t planned_at = 0;   ///< when its last way was found
  std::int64_t anchored_at = 0;  ///< when it was at `anchor`
  Vec anchor;
  bool retried = false;  ///< another way was looked for since
  // What is around
  std::array<Wall, kMaxWalls> walls;
  std::uint8_t wall_count = 0;
  Vec walls_at;
  std::uint64_t walls_version = 0;  ///< of the ground; 0: never asked
};

}  // namespace starbus::nav::crowd
