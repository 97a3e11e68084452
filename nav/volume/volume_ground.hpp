/// VolumeGround: ground of voxels, for what flies and swims. A Ground; see there for threads and
/// ownership. Its units are a voxel's side.
///
/// A place is a point in a voxel, and distances are those of space: `nearest`, `raycast` and moves
/// mind heights as any other axis. Moves lead through faces, and an agent's `climb` says nothing.
/// Areas are what parts the elements: a swimmer passes water alone, and so stays in it.
///
/// An agent with a radius keeps it, wherever in its voxel it is: voxels are closed to it that are
/// nearer than that to one that it cannot pass, or to the border of the volume.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nav/ground.hpp"
#include "nav/volume/columns.hpp"
#include "nav/volume/frame.hpp"
#include "nav/volume/layer.hpp"
#include "nav/volume/obstacles.hpp"

namespace starbus::nav::volume {

/// Where a volume lies. Plain value.
struct VolumeOptions {
  Point origin = {};     ///< the lowest corner of voxel (0, 0, 0)
  float voxel_size = 1;  ///< m
  Areas areas = {};
};

class VolumeGround final : public Ground {
 public:
  /// Takes the columns. bad_option.
  static Result<std::unique_ptr<VolumeGround>> create(Columns columns,
                                                      const VolumeOptions& options);

  std::uint64_t version() const override { return version_; }
  Box bounds() const override { return frame_.bounds(); }
  double unit() const override { return static_cast<double>(frame_.size); }

  /// Also too_large at kMaxLeaves.
  Result<AgentId> add_agent(const Agent& agent) override;
  /// No algorithm of a volume needs it: unknown_agent, bad_option.
  Result<bool> prepare(AgentId agent, Algorithm algorithm,
                       std::uint32_t pieces = 0xffff'ffff) override;

  Result<Place> nearest(Point at, Point reach, AgentId agent) const override;
  bool reachable(const Place& from, const Place& to, AgentId agent) const override;
  Area area_at(const Place& place) const override;
  /// Of a voxel, or of a cube that a search has looked at.
  std::vector<Point> outline(std::uint64_t piece) const override;
  Result<Ray> raycast(const Place& from, Point to, AgentId agent) const override;
  /// Through the volume: what is in the way takes one axis after the other from the move.
  Result<Place> move_along_surface(const Place& from, Point to, AgentId agent) const override;
  Result<Place> random_point(AgentId agent, std::uint64_t seed) const override;
  Result<Place> random_point_near(const Place& place, float radius, AgentId agent,
                                  std::uint64_t seed) const override;

  /// Of algorithms it has automatic, a_star and dijkstra.
  std::unique_ptr<Search> make_search() const override;

  /// Changes that would need more than kMaxSpans or kMaxLeaves are undone: too_large. A voxel that
  /// a box touches with its high border only does not count.
  Result<void> set_area(const Box& box, Area area) override;
  Result<ObstacleId> add_obstacle(const Obstacle& obstacle) override;
  Result<void> set_present(ObstacleId id, bool present) override;
  Result<void> remove_obstacle(ObstacleId id) override;
  /// Ends are voxels: a link begins and ends in the middle of one.
  Result<LinkId> add_link(const Link& link) override;
  Result<void> remove_link(LinkId id) override;

  // -- For those who know that it is a volume

  /// The volume as an agent finds it; nullptr if it is unknown. Lives as long as the ground.
  const Layer* layer(AgentId agent) const;
  /// The voxel of a place; nullopt if there is none.
  std::optional<Voxel> voxel(const Place& place) const;
  /// Of a link, by its number.
  LinkId link_id(std::uint32_t number) const;
  /// The middle of a voxel, which must be one of the volume.
  Place place(Voxel voxel) const;
  /// The point of a place within its voxel; for a place that has one.
  FinePoint fine(const Place& place) const {
    return frame_.fine_within(place.point, *voxel(place));
  }
  /// The name of a cube: of one of level 0 that of its voxel.
  std::uint64_t piece(const Block& block) const;
  /// Where a cube lies.
  Box box_of(const Block& block) const;
  /// The areas as they are now, with obstacles.
  const Columns& columns() const { return columns_; }
  const Frame& frame() const { return frame_; }

 private:
  VolumeGround(Columns columns, const VolumeOptions& options);

  struct Stand {
    const Layer* layer;
    Voxel voxel;
    FinePoint at;
  };
  Result<Stand> stand(const Place& place, AgentId agent) const;
  Place place_at(const FinePoint& at) const;
  Place place_in(Voxel voxel, Point near) const;
  Result<void> apply(const Result<VoxelBox>& changed);
  void apply_links();

  Columns columns_;
  VolumeOptions options_;
  Frame frame_;
  Obstacles obstacles_;
  std::vector<VoxelLink> links_;
  std::vector<std::uint16_t> link_generations_;  ///< by number
  std::vector<std::unique_ptr<Layer>> layers_;   ///< by agent
  std::uint64_t version_ = 1;
};

}  // namespace starbus::nav::volume
