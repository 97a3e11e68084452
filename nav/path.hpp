/// What a search is asked, and what it answers. Plain values; a Path's memory is used again.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/types.hpp"

namespace starbus::nav {

/// How a ground finds a way. A ground that lacks one answers bad_option.
enum class Algorithm : std::uint8_t {
  automatic,      ///< the fastest of those that find a cheapest path here
  a_star,         ///< any costs, any ground
  dijkstra,       ///< as a_star without an estimate
  breadth_first,  ///< the fewest moves, whatever they cost
  jps,            ///< jump points: grids with equal costs
  jps_plus,       ///< jump points from a table (Ground::prepare); as jps while that is out of date
  hierarchical,   ///< a way that may cost a little more, found sooner on large ground, by clusters
                  ///< (Ground::prepare); as automatic while they are out of date
};

/// How the points of a path are chosen among its cells.
enum class Smoothing : std::uint8_t {
  none,           ///< every piece of ground that it crosses
  corners,        ///< only where its direction changes
  line_of_sight,  ///< only where no straight line over ground of one cost can replace points
};

/// A question for a way.
struct PathRequest {
  Place from;
  Place to;
  AgentId agent;
  Algorithm algorithm = Algorithm::automatic;
  Smoothing smoothing = Smoothing::line_of_sight;
  /// A goal that cannot be reached: a path to the place nearest to it that can be, instead of
  /// `unreachable`.
  bool partial = false;
  /// Percent, 100..kMaxWeight. Above 100 the estimate is trusted more: the path costs at most
  /// weight / 100 times the least, and is found sooner. For a_star only.
  std::uint32_t weight = 100;
};

/// Where a way goes over a link: from the point of this number to the next.
struct PathLink {
  std::uint32_t point = 0;
  LinkId link;
  friend bool operator==(const PathLink&, const PathLink&) = default;
};

/// A way.
struct Path {
  std::vector<Point> points;    ///< from the start to the end, both included
  std::vector<PathLink> links;  ///< that it goes over, in the order of points
  std::uint64_t cost = 0;       ///< in the ground's units; see Ground::unit
  std::uint64_t version = 0;    ///< of the ground that it leads over
  std::uint32_t expanded = 0;   ///< nodes that the search has looked around from
  bool complete = false;        ///< it ends at the goal; otherwise as near as was found
};

}  // namespace starbus::nav
