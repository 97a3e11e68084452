#include "aoi/index/index.hpp"

#include "aoi/index/brute_index.hpp"
#include "aoi/index/cross_index.hpp"
#include "aoi/index/grid_index.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

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
