#include "aoi/index/index.hpp"

#include "aoi/index/brute_index.hpp"
#include "aoi/index/cross_index.hpp"
#include "aoi/index/grid_index.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

void Flips::start() {
  entries.start();
  left.start();
  entered.start();
  pair_tests = 0;
  visited = 0;
  looked = 0;
}

void Flips::rest() {
  entries.rest();
  left.rest();
  entered.rest();
}

std::span<EntityIndex> Flips::left_of(std::size_t entry) {
  return left.between(entry == 0 ? 0 : entries[entry - 1].left, entries[entry].left);
}

std::span<EntityIndex> Flips::entered_of(std::size_t entry) {
  return entered.between(entry == 0 ? 0 : entries[entry - 1].entered, entries[entry].entered);
}

void Flips::close(SensorIndex sensor, bool noted, bool in_any_case) {
  const Entry before = entries.empty() ? Entry{} : entries.back();
  const auto left_end = static_cast<std::uint32_t>(left.size());
  const auto entered_end = static_cast<std::uint32_t>(entered.size());
  if (!in_any_case && before.left == left_end && before.entered == entered_end) return;
  entries.push_back({sensor << 1 | (noted ? 1u : 0u), left_end, entered_end});
}

void Index::erase_all(std::span<const EntityIndex> entities, Buffer<Pair>& had) {
  std::vector<SensorIndex> sensors;
  for (const EntityIndex entity : entities) {
    sensors.clear();
    erase(entity, sensors);
    for (const SensorIndex sensor : sensors) had.push_back({sensor, entity});
  }
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
