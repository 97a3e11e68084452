/// MeshGround: ground of convex polygons, baked from triangles; several storeys may lie above each
/// other. A Ground; see there for threads and ownership. Its units are millimetres of plain ground.
///
///   auto ground = *mesh::MeshGround::create(*mesh::decode(bytes), {});
///
/// Places, rays, small moves and the straightening of ways are Detour's; searches are ours, over
/// Detour's polygons: they go from the middle of one shared edge to the middle of the next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nav/ground.hpp"
#include "nav/mesh/baked.hpp"

namespace starbus::nav::mesh {

class Changes;
class Kind;
class Tiles;
struct Leg;

/// Ground of one kind of agent that no ground joins with other ground.
struct Island {
  std::uint32_t polygons = 0;
  double area = 0;  ///< m2, in the plane
  Place place;      ///< the middle of its largest polygon
};

class MeshGround final : public Ground {
 public:
  /// Takes a mesh. As check of it.
  static Result<std::unique_ptr<MeshGround>> create(Baked baked, const Areas& areas);
  ~MeshGround() override;

  std::uint64_t version() const override { return version_; }
  Box bounds() const override;
  double unit() const override;

  /// A mesh is baked for one size of agents. bad_option for a radius above, or a climb below that
  /// of the mesh: such an agent needs a mesh of its own. A narrower one keeps the mesh's distance.
  Result<AgentId> add_agent(const Agent& agent) override;
  /// There is nothing to prepare: bad_option.
  Result<bool> prepare(AgentId agent, Algorithm algorithm,
                       std::uint32_t pieces = 0xffff'ffff) override;

  /// Among places that are as near in the plane that of the nearest height. In height, the mesh's
  /// agent_climb is added to `reach`: that much, ground may differ from what it was baked of.
  Result<Place> nearest(Point at, Point reach, AgentId agent) const override;
  bool reachable(const Place& from, const Place& to, AgentId agent) const override;
  Area area_at(const Place& place) const override;
  std::vector<Point> outline(std::uint64_t piece) const override;
  Result<Ray> raycast(const Place& from, Point to, AgentId agent) const override;
  /// For moves of a few metres: it looks at 64 polygons at most.
  Result<Place> move_along_surface(const Place& from, Point to, AgentId agent) const override;
  /// Of the 32 polygons that are nearest, for ranges of a few metres.
  std::size_t walls_near(const Place& place, float range, AgentId agent,
                         std::span<Wall> out) const override;
  /// Each square metre is as likely.
  Result<Place> random_point(AgentId agent, std::uint64_t seed) const override;
  Result<Place> random_point_near(const Place& place, float radius, AgentId agent,
                                  std::uint64_t seed) const override;

  std::unique_ptr<Search> make_search() const override;

  /// A box touches floors from agent_height below it up to its top. Tiles that it touches are built
  /// again: places on them are gone. An obstacle, and paint of kWall, reaches agent_radius further;
  /// other paint does not. As Ground; too_many as well if a tile would have too many polygons;
  /// bad_option for a mesh that is not dynamic. After an error nothing has changed.
  Result<void> set_area(const Box& box, Area area) override;
  Result<ObstacleId> add_obstacle(const Obstacle& obstacle) override;
  Result<void> set_present(ObstacleId id, bool present) override;
  Result<void> remove_obstacle(ObstacleId id) override;
  /// Of any length: it is no off-mesh connection of Detour, which end beside their tile. An end
  /// whose ground an obstacle takes away lies on it again when it comes back.
  Result<LinkId> add_link(const Link& link) override;
  Result<void> remove_link(LinkId id) override;

  // -- For those who know that it is a mesh

  /// Where it lies, and how it was built.
  const Layout& layout() const;
  /// For MeshSearch, and to look at Detour's mesh.
  const Tiles& tiles() const { return *tiles_; }
  /// All polygons, by tile, as places name them.
  std::vector<std::uint64_t> pieces() const;
  /// Of an agent, without links: the largest first. Empty if it is unknown.
  std::vector<Island> islands(AgentId agent) const;
  /// nullptr if it is unknown. Lives as long as the ground.
  const Kind* kind(AgentId agent) const;

 private:
  struct Stand;
  struct HeldLink;

  MeshGround(Baked baked, const Areas& areas);

  Result<Stand> stand(const Place& place, AgentId agent) const;
  Place place(std::uint32_t polygon, const float* spot) const;
  Result<void> apply(const Box& box, const Area* paint);
  Result<void> change(ObstacleId id, bool used, bool present);
  void refresh();
  LinkId link_id(std::size_t index) const;

  Areas areas_;
  std::unique_ptr<Tiles> tiles_;
  std::unique_ptr<Changes> changes_;
  std::vector<std::unique_ptr<Kind>> kinds_;  ///< by agent
  std::vector<HeldLink> links_;
  std::vector<Leg> legs_;  ///< of links whose ends lie on ground
  std::uint64_t version_ = 1;
};

}  // namespace starbus::nav::mesh
