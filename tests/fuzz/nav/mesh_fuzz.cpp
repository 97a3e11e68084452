/// Files of baked navmeshes that others have written, without their checksum, which a program that
/// makes files knows how to compute. What is read passes every check, comes back as it was, and can
/// be walked over, searched and changed.
#include <cstdlib>
#include <string_view>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "nav/mesh/mesh_ground.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::nav::mesh {
namespace {

void must(bool promise) {
  if (!promise) std::abort();
}

void walk(MeshGround& ground, AgentId agent) {
  const auto search = ground.make_search();
  Path path;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto from = ground.random_point(agent, seed);
    if (!from) return must(from.error() == Errc::bad_start);
    const Place to = *ground.random_point(agent, seed + 10);
    const PathRequest request{.from = *from, .to = to, .agent = agent, .partial = true};
    must(search->find(request, path).has_value());
    must(path.complete == ground.reachable(*from, to, agent));
    must(ground.raycast(*from, to.point, agent).has_value());
    must(ground.move_along_surface(*from, to.point, agent).has_value());
    must(ground.random_point_near(*from, 3, agent, seed).has_value());
    must(ground.nearest(to.point, {1, 1, 1}, agent).has_value());
  }
}

void read(std::string_view text) {
  std::string bytes(text);
  append_little(bytes, crc32c(0, bytes), 4);
  const auto baked = decode(bytes);
  if (!baked) {
    const Error& error = baked.error();
    return must(error == Errc::corrupt || error == Errc::bad_option ||
                error == Errc::bad_position || error == Errc::too_large || error == Errc::too_many);
  }
  must(encode(*baked) == bytes);
  auto ground = *MeshGround::create(*baked, {});
  const AgentId agent = *ground->add_agent({});
  walk(*ground, agent);
  const Box all = ground->bounds();
  const Point middle = {(all.low.x + all.high.x) / 2, (all.low.y + all.high.y) / 2, all.high.z};
  const std::uint64_t version = ground->version();
  const auto added = ground->add_obstacle({{all.low, middle}, kWall});
  must(added.has_value() || ground->version() == version);
  walk(*ground, agent);
}

}  // namespace
}  // namespace starbus::nav::mesh

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  starbus::nav::mesh::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
