/// One grid of one cell size, and the rows of the sensors that it serves.
///
/// Positions lie in blocks of eight per cell (BlockArena). A sensor's row has one bit for each
/// place of the nine cells around its home: set if that entity was in range when the sensor was
/// evaluated last. An evaluation computes the row again and compares: the difference is what has
/// changed. When an entity changes cells, its bit is moved in every row around, so that rows always
/// speak of present places. A target that a row has no room for any more, beyond the nine cells,
/// becomes an orphan: a pair that is in range until the next evaluation decides. An entity that
/// moves so far that no row has both its old place and its new one leaves a trace in the old place:
/// there it is in range of no sensor, so that those around find with their next evaluation that it
/// has left. One thread. Owns its state and the parts that work on it; fails only by running out of
/// memory.
#pragma once

#include <vector>

#include "aoi/index/crowd_scan.hpp"
#include "aoi/index/few_scan.hpp"
#include "aoi/index/grid_moves.hpp"
#include "aoi/index/layer.hpp"

namespace starbus::aoi {

template <class Cells>
class GridLayer final : public Layer {
 public:
  GridLayer(const Scene& scene, std::vector<Served>& served, std::uint32_t number, Cells cells);

  void reserve(std::size_t entities, std::size_t sensors) override;
  void insert(EntityIndex entity) override;
  void erase(std::span<const EntityIndex> entities, Buffer<Pair>& had) override;
  void fetch(EntityIndex entity, int step) const override { moves_.fetch(entity, step); }
  void move(EntityIndex entity) override { moves_.move(entity); }
  void settle() override { moves_.settle(); }
  void refilter(EntityIndex entity) override;
  void refilter_all(FilterNumber number) override { s_.arena.refilter_all(number); }
  void attach(SensorIndex sensor) override { rows_.attach(sensor); }
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had) override {
    rows_.detach(sensor, had);
  }
  void rewatch(SensorIndex sensor) override { rows_.rewatch(sensor); }
  void adopt(SensorIndex sensor, EntityIndex target) override { rows_.adopt(sensor, target); }
  void dirty(std::vector<Dirty>& out) override;
  void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) override;
  bool has(SensorIndex sensor, EntityIndex target) const override {
    return rows_.has(sensor, target);
  }
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const override {
    rows_.in_range(sensor, out);
  }
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const override {
    rows_.observers(target, out);
  }
  void in_range_within(SensorIndex sensor, float limit,
                       std::vector<Candidate>& out) const override {
    crowd_.in_range_within(sensor, limit, out);
  }
  void visit(const Box& box, EntityVisitor visitor) const override;
  std::uint64_t visited() const override { return visited_; }
  std::uint64_t memory() const override;

 private:
  void spread_dirt();
  void settle_dirt();
  void settle_orphans(Delta& delta);
  void take_dirty_homes();
  void prefetch(CellIndex home) const;
  void evaluate_home(CellIndex home, Delta& delta, const std::vector<std::uint8_t>* skip);

  GridState<Cells> s_;
  GridRows<Cells> rows_;
  GridPlaces<Cells> places_;
  GridTraces<Cells> traces_;
  GridMoves<Cells> moves_;
  FewScan<Cells> few_;
  CrowdScan<Cells> crowd_;
  std::vector<CellIndex> homes_to_evaluate_;
  mutable std::uint64_t visited_ = 0;  ///< cells, by visit()
  std::vector<EntityIndex> erasing_;   ///< scratch of erase()
  std::vector<Pair> grouped_;          ///< scratch of settle_orphans()
};

extern template class GridLayer<UniformCells>;
extern template class GridLayer<HashedCells>;

}  // namespace starbus::aoi
