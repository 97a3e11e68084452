// In place of mesh_world.cpp in programs that were built without navmeshes.
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {
namespace {

Error without() {
  return {Errc::bad_option,
          "navmeshes: this program has none; build it with -DSTARBUS_NAVMESH=ON and librecast-dev"};
}

}  // namespace

Result<std::unique_ptr<World>> read_obj_as_mesh(std::string_view, const ReadOptions&) {
  return without();
}

Result<std::unique_ptr<World>> read_baked_mesh(std::string_view, const ReadOptions&) {
  return without();
}

}  // namespace starbus::nav_tool
