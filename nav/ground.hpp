/// Ground: the one interface of everything that can be walked over, or flown and swum through. Read
/// this header first.
///
///   auto ground = *grid::GridGround::create(std::move(map), {});
///   const AgentId wolf = *ground->add_agent({});
///   const Place from = *ground->nearest({3, 4}, {2, 2, 2}, wolf);
///   auto search = ground->make_search();
///   Path path;
///   if (auto found = search->find({.from = from, .to = to, .agent = wolf}, path))
///   walk(path.points);
///
/// A ground knows a few kinds of agents: what they may pass, what it costs them, how wide they are.
/// It keeps tables for each, which a change of the ground brings up to date before it returns. So
/// queries only read: while nobody changes it, any number of threads may ask, each with a Search of
/// its own. One thread, the owner, makes changes, and nobody asks meanwhile.
///
/// The same calls give the same answers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nav/agent.hpp"
#include "nav/error.hpp"
#include "nav/path.hpp"

namespace starbus::nav {

/// Where a straight move ends.
struct Ray {
  Place end;          ///< the goal, or the last place before what is in the way
  bool hit = false;   ///< something is in the way
  Point normal = {};  ///< of what was hit: the side it was hit from; two sides at a corner
};

/// A piece of the border of the ground, in the plane: where an agent's middle may not pass. The
/// ground is on the left of the way from one end to the other.
struct Wall {
  Point from;
  Point to;
  friend bool operator==(const Wall&, const Wall&) = default;
};

/// What stands on the ground for a while: a closed door, a wagon, a fire.
struct Obstacle {
  Box box;            ///< of the pieces of ground that it touches
  Area area = kWall;  ///< what they are like while it is there: a door's flag lets some agents pass
};

/// A way between two places that no ground leads over: a jump down a ledge, a ladder, a portal.
struct Link {
  Place from;
  Place to;
  /// On ground of that area an agent would pay as much as for so many units: 1..kMaxLinkCost.
  std::uint32_t cost = 1;
  bool both_ways = false;
  Area area = kPlain;  ///< agents that pass it may use the link, at their cost of it
};

/// One search at a time, in the memory of the one before: after the largest that it has done it
/// allocates nothing. A search that was begun lives in it, so that several can be under way side by
/// side, each in an object of its own. It belongs to its maker and may not outlive its ground; one
/// thread at a time.
class Search {
 public:
  virtual ~Search() = default;

  /// Begins a search, and forgets the one before. bad_start, bad_goal, unknown_agent, bad_option,
  /// too_large, not_uniform; unreachable at once, without a search, if there is no way and
  /// `partial` was not asked for.
  virtual Result<void> begin(const PathRequest& request) = 0;
  /// Expands up to `budget` nodes; true if the search has ended. not_ready without a search;
  /// changed if the ground has changed since it began; too_far.
  virtual Result<bool> advance(std::uint32_t budget) = 0;
  /// The way that was found; before the end, and if `out.complete` is false after it, the way to
  /// the place nearest to the goal so far. Writes into `out`, whose memory is used again.
  /// not_ready without a search, changed.
  virtual Result<void> path(Path& out) = 0;
  /// The pieces of ground that it has looked around from so far, for pictures of searches: names
  /// that Ground::outline takes, some perhaps twice; none where a ground keeps no note of them.
  /// Writes into `out`, whose memory is used again.
  virtual void looked_at(std::vector<std::uint64_t>& out) const { out.clear(); }

  /// All of it in one call.
  Result<void> find(const PathRequest& request, Path& out);
};

/// Ground that agents walk over. Queries: any thread while there are no changes; changes: the
/// owner's thread. Owns its tables.
class Ground {
 public:
  virtual ~Ground() = default;

  /// Rises with every change that any agent could notice. What was computed for a lower one may be
  /// wrong now: paths, flow fields, searches that were begun.
  virtual std::uint64_t version() const = 0;
  /// All ground lies within.
  virtual Box bounds() const = 0;
  /// Metres on plain ground for one unit of a path's cost.
  virtual double unit() const = 0;

  // -- Agents, for the owner

  /// Makes a kind of agent known; one like it that is known already has the same id. bad_option,
  /// too_large, too_many.
  virtual Result<AgentId> add_agent(const Agent& agent) = 0;
  /// Brings up to date what is too dear to be computed with every change: the table of jps_plus, or
  /// the clusters of hierarchical. The latter in up to so many pieces, each of which takes as long
  /// on large ground as on small; the former in one. True if nothing is left to do.
  /// unknown_agent, not_uniform; bad_option for other algorithms.
  virtual Result<bool> prepare(AgentId agent, Algorithm algorithm,
                               std::uint32_t pieces = 0xffff'ffff) = 0;

  // -- Places

  /// The place nearest to `at`, in the plane (in a volume: in space), where the agent may stand, at
  /// most `reach` away along each axis (0 means here). Among equals that of the lowest piece.
  /// bad_position, unknown_agent; bad_start if there is none.
  virtual Result<Place> nearest(Point at, Point reach, AgentId agent) const = 0;
  /// Whether the agent can get from one to the other, also over links; false if either is no place
  /// for it. Takes no search: below a microsecond.
  virtual bool reachable(const Place& from, const Place& to, AgentId agent) const = 0;
  /// The area of a place; kWall if there is none.
  virtual Area area_at(const Place& place) const = 0;
  /// The corners of a piece in the plane, for pictures: of a convex polygon, or the low and the
  /// high one of an upright rectangle. Empty if there is no such piece.
  virtual std::vector<Point> outline(std::uint64_t piece) const = 0;
  /// The straight line to `to`, in the plane (in a volume: in space), up to what the agent cannot
  /// pass. bad_position, unknown_agent, bad_start.
  virtual Result<Ray> raycast(const Place& from, Point to, AgentId agent) const = 0;
  /// Where a small move ends: it slides along what is in the way, and never leaves the ground. As
  /// raycast.
  virtual Result<Place> move_along_surface(const Place& from, Point to, AgentId agent) const = 0;
  /// Writes the walls within `range` m of a place that face it, nearest first, as many as there is
  /// room for, and returns their number. 0 for a place or an agent that there is not, and of ground
  /// that knows no walls: a crowd then relies on move_along_surface alone.
  virtual std::size_t walls_near(const Place& place, float range, AgentId agent,
                                 std::span<Wall> out) const;
  /// A place where the agent may stand, each piece as likely; the same for the same seed.
  /// unknown_agent; bad_start if there is none.
  virtual Result<Place> random_point(AgentId agent, std::uint64_t seed) const = 0;
  /// The same among pieces within `radius` m of a place that can be reached from it. As raycast;
  /// too_large.
  virtual Result<Place> random_point_near(const Place& place, float radius, AgentId agent,
                                          std::uint64_t seed) const = 0;

  // -- Ways

  /// Memory for searches over this ground.
  virtual std::unique_ptr<Search> make_search() const = 0;

  // -- Changes, for the owner

  /// What the pieces of ground that a box touches are like from now on, beneath obstacles.
  /// bad_position, too_large for an area beyond kMaxArea.
  virtual Result<void> set_area(const Box& box, Area area) = 0;
  /// Puts an obstacle there. Where several stand on one piece, the lowest area counts, so that
  /// kWall always does; a wall stays one. bad_position, too_large, too_many.
  virtual Result<ObstacleId> add_obstacle(const Obstacle& obstacle) = 0;
  /// A door that is opened lets its ground be what it was; it keeps its id. unknown_obstacle.
  virtual Result<void> set_present(ObstacleId id, bool present) = 0;
  /// Takes it away for good. unknown_obstacle.
  virtual Result<void> remove_obstacle(ObstacleId id) = 0;
  /// Adds a link. Agents use it while they can stand at both of its ends. bad_start, bad_goal: an
  /// end is no place of this ground; bad_option, too_large, too_many.
  virtual Result<LinkId> add_link(const Link& link) = 0;
  /// Takes it away for good. unknown_link.
  virtual Result<void> remove_link(LinkId id) = 0;
};

}  // namespace starbus::nav
