/// GridGround: ground of equal squares, each with an area and a height. A Ground; see there for
/// threads and ownership. Its units are 1/408 of a cell's side.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nav/grid/frame.hpp"
#include "nav/grid/layer.hpp"
#include "nav/grid/obstacles.hpp"
#include "nav/ground.hpp"

namespace starbus::nav::grid {

/// Where a grid lies, and how one moves over it. Plain value.
struct GridOptions {
  Point origin = {};    ///< the lowest corner of cell (0, 0)
  float cell_size = 1;  ///< m
  Diagonals diagonals = Diagonals::no_cut;
  Areas areas = {};
};

class GridGround final : public Ground {
 public:
  /// Takes the terrain. bad_option, too_large.
  static Result<std::unique_ptr<GridGround>> create(Terrain terrain, const GridOptions& options);

  std::uint64_t version() const override { return version_; }
  Box bounds() const override;
  double unit() const override { return static_cast<double>(frame_.size) / kStraight; }

  Result<AgentId> add_agent(const Agent& agent) override;
  Result<bool> prepare(AgentId agent, Algorithm algorithm,
                       std::uint32_t pieces = 0xffff'ffff) override;

  Result<Place> nearest(Point at, Point reach, AgentId agent) const override;
  bool reachable(const Place& from, const Place& to, AgentId agent) const override;
  Area area_at(const Place& place) const override;
  std::vector<Point> outline(std::uint64_t piece) const override;
  Result<Ray> raycast(const Place& from, Point to, AgentId agent) const override;
  Result<Place> move_along_surface(const Place& from, Point to, AgentId agent) const override;
  /// Borders between cells that no move along a side crosses, joined to straight ones; what is more
  /// than kMaxAround cells away is left out.
  std::size_t walls_near(const Place& place, float range, AgentId agent,
                         std::span<Wall> out) const override;
  Result<Place> random_point(AgentId agent, std::uint64_t seed) const override;
  Result<Place> random_point_near(const Place& place, float radius, AgentId agent,
                                  std::uint64_t seed) const override;

  std::unique_ptr<Search> make_search() const override;

  /// Of boxes only the plane counts, and a cell that one touches with its high border only does
  /// not: (2, 2) to (4, 4) are four cells.
  Result<void> set_area(const Box& box, Area area) override;
  Result<ObstacleId> add_obstacle(const Obstacle& obstacle) override;
  Result<void> set_present(ObstacleId id, bool present) override;
  Result<void> remove_obstacle(ObstacleId id) override;
  /// Ends are cells: a link begins and ends in the middle of one.
  Result<LinkId> add_link(const Link& link) override;
  Result<void> remove_link(LinkId id) override;

  // -- For those who know that it is a grid

  /// The grid as an agent finds it, for flow fields and searches from cell to cell; nullptr if it
  /// is unknown. Lives as long as the ground.
  const Layer* layer(AgentId agent) const;
  /// The cell of a place; nullopt if there is none.
  std::optional<Cell> cell(const Place& place) const;
  /// Of a link, by its number in the terrain's list.
  LinkId link_id(std::uint32_t number) const;
  /// The name of a cell, which must be one of the grid.
  std::uint64_t piece(Cell cell) const {
    return std::uint64_t{cell.y} * terrain_.width + cell.x + 1;
  }
  /// The middle of a cell, which must be one of the grid.
  Place place(Cell cell) const;
  /// Where a cell lies, which must be one of the grid.
  Box box(Cell cell) const;
  /// The point of a place within its cell; for a place that has one.
  FinePoint fine(const Place& place) const { return frame_.fine_within(place.point, *cell(place)); }
  const Terrain& terrain() const { return terrain_; }

 private:
  GridGround(Terrain terrain, const GridOptions& options);

  struct Stand {
    const Layer* layer;
    Cell cell;
    FinePoint at;
  };
  Result<Stand> stand(const Place& place, AgentId agent) const;
  Place place_at(FinePoint at) const;
  Place place_in(Cell cell, Point near) const;
  void apply(const CellBox& changed);
  void apply_links();

  Terrain terrain_;
  GridOptions options_;
  Frame frame_;
  Obstacles obstacles_;
  std::vector<std::unique_ptr<Layer>> layers_;   ///< by agent
  std::vector<std::uint16_t> link_generations_;  ///< by number
  std::uint64_t version_ = 1;
};

}  // namespace starbus::nav::grid
