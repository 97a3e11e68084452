/// One grid of one cell size, and the rows of the sensors that it serves.
///
/// Positions lie in blocks of eight per cell (BlockArena). A sensor's row has one bit for each
/// place of the nine cells around its home: set if that entity was in range when the sensor last
/// looked. A look computes the row anew and compares: the difference is what has changed. When an
/// entity changes cells, its bit is moved in every row around, so rows always speak of who is there
/// now. What a row cannot hold any more (an entity beyond the nine cells) becomes an orphan: a pair
/// that is in range until the next look decides. Who goes so far that no row has both its old place
/// and its new one leaves a trace in the old one: there it is in range of nobody, so that those
/// around find with their next look that it has left. Owns rows, cells and blocks; one thread.
#pragma once

#include <array>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <cstdlib>
#include <functional>
#include <vector>

#include "aoi/index/block_arena.hpp"
#include "aoi/index/cells.hpp"
#include "aoi/index/extent.hpp"
#include "aoi/index/layer.hpp"
#include "aoi/index/watcher.hpp"

namespace starbus::aoi {

template <class Cells>
class GridLayer final : public Layer {
 public:
  GridLayer(const Scene& scene, std::vector<Served>& served, std::uint32_t number, Cells cells);

  void reserve(std::size_t entities, std::size_t sensors) override;
  void insert(EntityIndex entity) override;
  void erase(std::span<const EntityIndex> entities, Buffer<Pair>& had) override;
  void fetch(EntityIndex entity, int step) const override;
  void move(EntityIndex entity) override;
  void settle() override;
  void refilter(EntityIndex entity) override;
  void refilter_all(FilterNumber number) override { arena_.refilter_all(number); }
  void attach(SensorIndex sensor) override;
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had) override;
  void rewatch(SensorIndex sensor) override;
  void adopt(SensorIndex sensor, EntityIndex target) override;
  void dirty(std::vector<Dirty>& out) override;
  void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) override;
  bool has(SensorIndex sensor, EntityIndex target) const override;
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const override;
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const override;
  void in_range_within(SensorIndex sensor, float limit, std::vector<Candidate>& out) const override;
  void visit(const Box& box, const std::function<void(EntityIndex)>& visitor) const override;
  std::uint64_t visited() const override { return visited_; }
  std::uint64_t memory() const override;

 private:
  static constexpr std::size_t kBatch = 16;            ///< watchers that are scanned together
  static constexpr std::uint32_t kCrowd = 64;          ///< of a cell whose extent is worth knowing
  static constexpr std::uint32_t kScannedAtOnce = 64;  ///< blocks
  static constexpr std::size_t kGoing = 32;            ///< entities that change cells together
  static constexpr std::size_t kCentre = kNeighbours / 2;
  static constexpr std::uint32_t kAllCells = (1u << kNeighbours) - 1;

  /// Who has moved farther than that, in cells, is around no home any more around which it was.
  static constexpr std::int32_t kFar = 2;

  struct Place {
    CellAt home;
    CellIndex cell = kNone;
    std::uint32_t place = kNone;  ///< kNone: not observable
  };

  struct Trace {
    EntityIndex entity = kNone;
    Place left;
  };

  /// The nine cells around a home, as a look needs them.
  struct Around {
    const Run* runs[kNeighbours];
    std::uint32_t offsets[kNeighbours + 1];  ///< of their bytes in the rows; then the rows' size
    std::uint32_t dirty;                     ///< a bit per cell
    std::uint32_t entities;                  ///< in all nine
    bool few;                                ///< rows fit into two words; by byte of the rows:
    std::uint32_t block_at[kFewBlocks];
    const Block* blocks[kFewBlocks];
    const HeightBlock* heights[kFewBlocks];  ///< only with heights

    std::uint32_t size() const { return offsets[kNeighbours]; }
  };
  /// Watchers of one home whose few blocks are scanned together.
  struct Batch {
    std::uint32_t count = 0;
    bool plain = true;  ///< all are
    bool margin = false;
    bool height = false;
  };

  static constexpr std::size_t kAtHome = 4;  ///< watchers of one cell, without a list elsewhere
  using Home = boost::container::small_vector<std::uint32_t, kAtHome>;

  Site& site_of(const Watcher& watcher) {
    return sites_[static_cast<std::size_t>(&watcher - watchers_.data())];
  }
  const Site& site_of(const Watcher& watcher) const {
    return sites_[static_cast<std::size_t>(&watcher - watchers_.data())];
  }

  // grid_layer.cpp, grid_layer_going.hpp, grid_layer_traces.hpp, grid_layer_places.hpp,
  // grid_layer_rows.hpp.
  void make_cells(std::size_t size);
  void open(Place& place, const CellAt& at);
  void close_if_empty(CellIndex cell);
  std::uint32_t take_place(CellIndex cell);
  void free_place(CellIndex cell, std::uint32_t place);
  void resize_run(CellIndex cell, std::uint32_t capacity);
  void pack(CellIndex cell);
  void relayout(CellIndex changed, std::uint32_t old_width, std::uint32_t new_width);
  void change_cell(EntityIndex entity, const CellAt& to);
  void move_bits(EntityIndex entity, const Place& from, const Place& to);
  void rehome(std::uint32_t watcher, const Place& from, const Place& to);
  void resize_row(Watcher& watcher, std::uint32_t size);
  void leave_home(std::uint32_t watcher);
  void clear_around(CellIndex cell, std::span<const EntityIndex> entities, Buffer<Pair>& had);
  void mark_moved(EntityIndex entity, const Place& place);
  void mark_dirty(CellIndex cell);
  void mark_stale(Watcher& watcher);
  void set_place(EntityIndex entity, std::uint32_t place);
  void prefetch(CellIndex home) const;
  void go(EntityIndex entity);
  void prefetch_homes(EntityIndex entity) const;
  void prefetch_sensor(EntityIndex entity) const;
  void prefetch_watchers(EntityIndex entity) const;
  void prefetch_runs(CellIndex home) const;
  void prefetch_block(std::uint32_t block) const;
  void prefetch_seen(EntityIndex entity) const;
  static bool is_far(const CellAt& from, const CellAt& to) {
    return std::abs(from.x - to.x) > kFar || std::abs(from.y - to.y) > kFar;
  }
  void leave_trace(EntityIndex entity, const Place& left);
  const Trace* trace_of(EntityIndex entity) const;
  Trace& trace_at(std::uint32_t place);
  bool has_traces(CellIndex cell) const;
  void follow(const Trace& trace);
  void follow_trace_of(EntityIndex entity);
  void follow_traces();
  void end_traces();
  void drop_orphans(SensorIndex sensor, EntityIndex target, std::vector<Pair>& dropped);

  // Rows.
  std::uint32_t width_of(CellIndex cell) const;
  std::uint32_t offset_of(CellIndex home, std::size_t neighbour) const;
  /// Which of the nine cells around a home another one is that lies so far away; kNeighbours: none.
  static std::size_t neighbour_at(std::int32_t across, std::int32_t along) {
    const bool near = across >= -1 && across <= 1 && along >= -1 && along <= 1;
    return near ? static_cast<std::size_t>((along + 1) * 3 + across + 1) : kNeighbours;
  }
  /// Which of the nine cells around `home` that is; kNeighbours: none.
  std::size_t direction(CellIndex home, CellIndex cell) const;
  /// The bit of a target in the row of a watcher, or kNone.
  std::uint32_t bit_of(const Watcher& watcher, EntityIndex target) const {
    return bit_of(watcher, places_[target]);
  }
  std::uint32_t bit_of(const Watcher& watcher, const Place& place) const;
  template <class Visitor>
  void each_place(const Watcher& watcher, const Visitor& visitor) const;  ///< of bits that are set
  template <class Visitor>
  void each_bit(const Watcher& watcher, const Visitor& visitor) const;  ///< their entities
  /// The watchers of an entity in this layer. Sensors with symmetric lists have none.
  template <class Visitor>
  void each_watcher(EntityIndex entity, const Visitor& visitor) const;
  /// visitor(watcher, bit) for each watcher whose row has a bit for this place, set or not.
  template <class Visitor>
  void each_row_over(const Place& place, const Visitor& visitor) const;

  // grid_layer_look.hpp, grid_layer_few.hpp, grid_layer_scan.hpp.
  void settle_orphans(Delta& delta);
  void spread_dirt();
  void gather(CellIndex home, Around& around) const;
  void lay_out(const Around& around);
  std::uint32_t mask_of(const Watcher& watcher, const Around& around) const;
  std::uint64_t cost_of(const Around& around, std::uint32_t mask) const;
  void evaluate_from(CellIndex home, Delta& delta, const std::vector<std::uint8_t>* skip);
  Query query_of(const Watcher& watcher) const;
  Query full_query_of(const Watcher& watcher) const;
  FewBits others(const Watcher& watcher, const Around& around) const;
  void take_along(std::uint32_t watcher, Batch& batch);
  FewBits passing(const Around& around, FilterNumber filter) const;
  void refine(const Around& around, const Batch& batch);
  void scan_batch(const Around& around, Batch& batch, Delta& delta);
  void evaluate_alone(Watcher& watcher, const Around& around, std::uint32_t mask, Delta& delta);
  bool scan_runs(Watcher& watcher, const Around& around, const Query& query, std::size_t variant,
                 std::uint32_t mask);
  void add_near(const Query& query, std::uint32_t first, std::span<const std::uint8_t> row,
                std::vector<Candidate>& out) const;
  void report(Watcher& watcher, Delta& delta);
  void report_few(Watcher& watcher, const Around& around, const FewBits& now, Delta& delta);
  void settle_dirt();

  const Scene& scene_;
  const KernelTable& kernels_;
  std::vector<Served>& served_;
  const std::uint32_t number_;
  Cells cells_;
  BlockArena arena_;
  /// Each cell keeps a block, also if nobody is there: blocks lie as cells do, so that those of
  /// homes that follow each other are fetched by themselves.
  bool settled_ = false;
  std::vector<Run> runs_;              ///< per cell
  std::vector<Home> homes_;            ///< per cell: the watchers at home there
  std::vector<std::uint32_t> hidden_;  ///< per cell: entities at home there that nobody can see
  std::vector<std::uint8_t> dirty_;
  std::vector<CellIndex> dirty_cells_;  ///< the first dirty_count_
  std::size_t dirty_count_ = 0;
  std::vector<std::uint64_t> touched_;  ///< a bit per cell: somebody at home there has to look
  std::vector<Place> places_;           ///< per entity
  std::vector<Watcher> watchers_;
  std::vector<Site> sites_;  ///< beside watchers_
  std::vector<std::uint32_t> free_watchers_;
  /// Who is to change cells: until then it has its old place, and all that is kept of it fits that.
  boost::container::static_vector<EntityIndex, kGoing> going_;
  std::vector<Pair> orphans_;
  std::vector<Trace> traces_;          ///< one of an entity at most
  std::vector<std::uint8_t> traced_;   ///< by entity: it has one
  mutable std::uint64_t visited_ = 0;  ///< cells, by visit()
  std::vector<EntityIndex> erasing_;   ///< scratch of erase()
  std::vector<Pair> grouped_;          ///< scratch of settle_orphans()

  // Scratch of one look.
  std::vector<CellIndex> evaluating_;
  std::array<std::uint32_t, kBatch> batch_;
  std::array<Query, kBatch> queries_;
  std::array<FewScans, kBatch> scans_;
  std::array<Extent, kNeighbours> extents_;  ///< by neighbour of one home
  std::vector<std::uint8_t> fresh_;
  std::vector<std::uint32_t> block_at_;  ///< by byte of the rows of one home
  std::vector<std::uint8_t> held_;
};

template <class Cells>
template <class Visitor>
void GridLayer<Cells>::each_place(const Watcher& watcher, const Visitor& visitor) const {
  const std::uint8_t* row = watcher.row.data();
  const CellIndex home = site_of(watcher).cell;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells_.neighbour(home, i);
    const Run run = cell == kNone ? Run{} : runs_[cell];
    for (std::uint32_t block = 0; block < run.used; ++block) {
      for (unsigned bits = row[block]; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(bits));
        visitor(std::size_t{run.first + block} * kBlockPlaces + lane);
      }
    }
    row += run.width();
  }
}

template <class Cells>
template <class Visitor>
void GridLayer<Cells>::each_bit(const Watcher& watcher, const Visitor& visitor) const {
  each_place(watcher, [&](std::size_t place) { visitor(arena_.entities[place]); });
}

template <class Cells>
template <class Visitor>
void GridLayer<Cells>::each_watcher(EntityIndex entity, const Visitor& visitor) const {
  for (SensorIndex s = scene_.first_sensor[entity]; s != kNone; s = scene_.watches[s].next) {
    if (s < served_.size() && served_[s].layer() == number_) visitor(served_[s].watcher());
  }
}

extern template class GridLayer<UniformCells>;
extern template class GridLayer<HashedCells>;

}  // namespace starbus::aoi
