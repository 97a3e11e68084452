#include "aoi/index.hpp"

#include "aoi/brute_index.hpp"
#include "aoi/cross_index.hpp"
#include "aoi/grid_index.hpp"

namespace starbus::aoi {

void Flips::clear() {
  leaves.clear();
  enters.clear();
  entries.clear();
  left.clear();
  entered.clear();
  pair_tests = 0;
  looked = 0;
}

std::span<const EntityIndex> Flips::left_of(std::size_t entry) const {
  const std::uint32_t begin = entry == 0 ? 0 : entries[entry - 1].left;
  return std::span(left).subspan(begin, entries[entry].left - begin);
}

std::span<const EntityIndex> Flips::entered_of(std::size_t entry) const {
  const std::uint32_t begin = entry == 0 ? 0 : entries[entry - 1].entered;
  return std::span(entered).subspan(begin, entries[entry].entered - begin);
}

void Flips::close(SensorIndex sensor, bool in_any_case) {
  const Entry before = entries.empty() ? Entry{} : entries.back();
  if (!in_any_case && before.left == left.size() && before.entered == entered.size()) return;
  entries.push_back({sensor, static_cast<std::uint32_t>(left.size()),
                     static_cast<std::uint32_t>(entered.size())});
}

std::unique_ptr<Index> make_index(const WorldOptions& options, const Scene& scene) {
  const Box bounds = options.bounds;
  switch (options.backend) {
    case Backend::brute_force:
      return std::make_unique<BruteIndex>(scene);
    case Backend::hashed_grid:
      return std::make_unique<GridIndex>(
          scene, options.reach,
          [](const Scene& of, std::vector<Served>& served, std::uint32_t number, float reach) {
            return std::make_unique<GridLayer<HashedCells>>(of, served, number, HashedCells(reach));
          });
    case Backend::cross_list:
      return std::make_unique<CrossIndex>(scene, options.reach);
    default:
      return std::make_unique<GridIndex>(scene, options.reach,
                                         [bounds](const Scene& of, std::vector<Served>& served,
                                                  std::uint32_t number, float reach) {
                                           return std::make_unique<GridLayer<UniformCells>>(
                                               of, served, number, UniformCells(bounds, reach));
                                         });
  }
}

}  // namespace starbus::aoi
