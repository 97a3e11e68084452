/// Kind: a mesh as one kind of agent finds it: what it may pass, at which costs, over which links,
/// and what can be reached from where. Owns its tables; any number of threads may read while nobody
/// refreshes them.
#pragma once

#include <DetourNavMeshQuery.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nav/agent.hpp"
#include "nav/graph/reach.hpp"
#include "nav/mesh/tiles.hpp"

namespace starbus::nav::mesh {

/// One direction of a link, for whoever passes its area.
struct Leg {
  Polygon from = 0;
  Polygon to = 0;
  Spot start;
  Spot end;
  float cost = 0;  ///< m, on plain ground
  Area area = kPlain;
  LinkId link;
};

class Kind {
 public:
  Kind(const Agent& agent, const Areas& areas);

  /// Of the tiles as they are. `legs` are all that lie on ground. Takes time in proportion to the
  /// mesh.
  void refresh(const Tiles& tiles, std::span<const Leg> legs);

  const Agent& agent() const { return agent_; }
  const dtQueryFilter& filter() const { return filter_; }
  bool passes(Area area) const { return passes_[area]; }
  float cost(Area area) const { return filter_.getAreaCost(area); }
  /// Whether polygons of these numbers, which it passes, are joined in this direction.
  bool reaches(std::uint32_t from, std::uint32_t to) const;

  /// Legs that it can take, by the polygon where they begin.
  std::span<const Leg> legs() const { return legs_; }
  std::span<const Leg> legs(Polygon from) const;
  /// Whether a leg costs less than the straight way between its ends, so that searches have no
  /// estimate.
  bool short_cut() const { return short_cut_; }

  /// By polygon: m2 that it may stand on, of this one and all before it.
  const std::vector<double>& ground() const { return ground_; }

 private:
  std::uint32_t node(std::uint32_t part) const;
  bool search(std::uint32_t from, std::uint32_t to) const;

  Agent agent_;
  dtQueryFilter filter_;
  std::array<bool, kMaxArea + 1> passes_ = {};
  std::vector<Leg> legs_;
  bool short_cut_ = false;
  graph::Parts parts_;                 ///< by polygon: within one, each reaches each
  std::vector<std::uint32_t> ends_;    ///< parts that ways lead into or out of, sorted
  graph::Graph between_;               ///< of those
  std::optional<graph::Reach> reach_;  ///< of those; none if they are too many for a table
  std::vector<double> ground_;
};

/// m2 of a polygon, in the plane.
double size_of(const Tiles& tiles, Polygon of);

}  // namespace starbus::nav::mesh
