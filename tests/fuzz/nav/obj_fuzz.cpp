/// Terrain that others have written, as Wavefront OBJ. What is read can be baked, or is refused.
#include <cstdlib>
#include <string_view>

#include "nav/formats/obj.hpp"
#include "nav/mesh/bake.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::nav::mesh {
namespace {

void must(bool promise) {
  if (!promise) std::abort();
}

bool expected(const Error& error) {
  return error == Errc::corrupt || error == Errc::bad_option || error == Errc::bad_position ||
         error == Errc::too_large || error == Errc::too_many;
}

void read(std::string_view text) {
  const auto terrain = formats::read_obj(text);
  if (!terrain) return must(expected(terrain.error()));
  for (const Triangle& one : terrain->triangles) {
    for (const std::uint32_t corner : one.corners) must(corner < terrain->points.size());
    must(one.material < terrain->materials.size());
  }
  if (terrain->triangles.size() > 64) return;
  BakeOptions options;
  options.tile_cells = 16;
  const auto bake = Bake::create(*terrain, options, {});
  if (!bake) return must(expected(bake.error()));
  if (bake->layout().tiles() > 16) return;
  const auto baked = bake->run();
  if (!baked) return must(expected(baked.error()));
  must(decode(encode(*baked)).has_value());
}

}  // namespace
}  // namespace starbus::nav::mesh

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  starbus::nav::mesh::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
