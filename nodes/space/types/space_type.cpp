#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

aoi::WorldOptions world_options(const SpaceType& type) {
  aoi::WorldOptions options;
  options.bounds = {{type.min[0], type.min[1], type.min[2]},
                    {type.max[0], type.max[1], type.max[2]}};
  options.reach = type.cell;
  options.expected_entities = type.capacity;
  options.expected_sensors = type.capacity;
  return options;
}

}  // namespace starbus::nodes::space
