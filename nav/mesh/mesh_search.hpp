/// MeshSearch: the Search of a MeshGround; see there. A node of it is a way from one polygon to the
/// next, in the middle of what they share: the cost of a path is exactly the least over these.
#pragma once

#include <vector>

#include "nav/mesh/kind.hpp"
#include "nav/mesh/mesh_ground.hpp"

namespace starbus::nav::mesh {

/// One thread at a time.
class MeshSearch final : public Search {
 public:
  explicit MeshSearch(const MeshGround& ground) : ground_(ground) {}

  /// a_star and dijkstra; automatic is a_star. Other algorithms are bad_option.
  Result<void> begin(const PathRequest& request) override;
  Result<bool> advance(std::uint32_t budget) override;
  /// Smoothing::line_of_sight leaves the corners of the way, corners those and where its area
  /// changes, none each edge that it crosses as well.
  Result<void> path(Path& out) override;
  void looked_at(std::vector<std::uint64_t>& out) const override;

 private:
  struct Node {
    Spot spot;
    float cost = 0;                ///< m
    Polygon polygon = kNoPolygon;  ///< that it leads into
    Polygon from = kNoPolygon;     ///< out of; none: by a link
    std::uint32_t parent = 0;
    std::uint32_t round = 0;  ///< in which it was opened
    bool closed = false;
  };
  struct Open {
    float rank;
    std::uint32_t node;
    friend bool operator<(const Open& a, const Open& b) {  // the next one is the greatest
      return a.rank != b.rank ? a.rank > b.rank : a.node > b.node;
    }
  };

  bool current() const;
  void make_room();
  void reach(std::uint32_t node, std::uint32_t parent, const Spot& spot, float cost,
             Polygon polygon, Polygon from);
  void expand(std::uint32_t node);
  void look_for_end(std::uint32_t node);
  float estimate(const Spot& spot) const { return scale_ * distance(spot.data(), goal_.data()); }
  void pull(Path& out, const Spot& from, const Spot& to);

  const MeshGround& ground_;
  const Kind* kind_ = nullptr;
  PathRequest request_;
  std::uint64_t version_ = 0;
  Spot start_ = {};
  Spot goal_ = {};
  Polygon goal_polygon_ = kNoPolygon;
  bool reachable_ = false;
  float scale_ = 0;          ///< of the estimate
  std::vector<Node> nodes_;  ///< by way; then by leg; the goal; the start
  std::vector<Open> open_;
  std::uint32_t round_ = 0;
  std::uint32_t goal_node_ = 0;
  std::uint32_t expanded_ = 0;
  // The end of the path: the goal, or the nearest place so far.
  std::uint32_t end_node_ = 0;
  Spot end_ = {};
  float end_cost_ = 0;
  float end_distance_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  bool found_ = false;
  std::vector<std::uint32_t> chain_;  ///< scratch of path
  std::vector<dtPolyRef> corridor_;
};

}  // namespace starbus::nav::mesh
