/// Baked files that others have written. The first byte says which kind; one below 128
/// carries a body, to which the head and its sum are added, so that mutations reach behind the sum.
#include <cstdlib>
#include <string>
#include <string_view>

#include "nav/formats/baked.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::nav::formats {
namespace {

void must_hold(bool promise) {
  if (!promise) std::abort();
}

bool known(const Error& error) {
  return error == Errc::corrupt || error == Errc::too_large || error == Errc::too_many ||
         error == Errc::bad_option;
}

// What is read comes back byte for byte, and makes a ground.
void read_a_grid(std::string_view bytes) {
  const auto file = read_grid(bytes);
  if (!file) return must_hold(known(file.error()));
  const auto again = read_grid(*write_grid(*file));
  must_hold(again && again->terrain.areas == file->terrain.areas &&
            again->terrain.links == file->terrain.links);
  if (file->terrain.areas.size() > 4'096) return;
  auto ground = grid::GridGround::create(file->terrain, file->options);
  must_hold(ground && (*ground)->add_agent({}).has_value());
}

void read_a_volume(std::string_view bytes) {
  const auto file = read_volume(bytes);
  if (!file) return must_hold(known(file.error()));
  must_hold(*write_volume(*file) == bytes);
  if (file->columns.extent().voxels() > 4'096) return;
  auto ground = volume::VolumeGround::create(file->columns, file->options);
  must_hold(ground && (*ground)->add_agent({}).has_value());
}

}  // namespace
}  // namespace starbus::nav::formats

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace formats = starbus::nav::formats;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool grid = data[0] % 2 == 0;
  if (data[0] < 128) {
    bytes = *formats::write_baked(grid ? formats::kGridKind : formats::kVolumeKind, 1, bytes);
  }
  grid ? formats::read_a_grid(bytes) : formats::read_a_volume(bytes);
  return 0;
}
