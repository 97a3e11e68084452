#include "nav/mesh/voxels.hpp"

#include "base/little_endian.hpp"
#include "nav/limits.hpp"
#include "nav/mesh/limits.hpp"

namespace starbus::nav::mesh {
namespace {

// Runs: a length of 1..255, and the value.
template <class Value>
void append_runs(std::string& out, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && end - i < 255 && values[end] == values[i]) ++end;
    append_little(out, end - i, 1);
    append_little(out, values[i], sizeof(Value));
    i = end;
  }
}

// Takes `count` values from the front of `bytes`.
template <class Value>
bool take_runs(std::string_view& bytes, std::size_t count, std::vector<Value>& values) {
  values.clear();
  while (values.size() < count) {
    if (bytes.size() < 1 + sizeof(Value)) return false;
    const std::size_t length = load<std::uint8_t>(bytes, 0);
    if (length == 0 || length > count - values.size()) return false;
    values.insert(values.end(), length, load<Value>(bytes, 1));
    bytes.remove_prefix(1 + sizeof(Value));
  }
  return true;
}

Error bad_voxels() {
  return {Errc::corrupt, "voxels of a tile"};
}

}  // namespace

std::string pack(const Voxels& voxels) {
  std::string out;
  append_runs(out, voxels.counts);
  append_runs(out, voxels.floors);
  append_runs(out, voxels.rooms);
  append_runs(out, voxels.areas);
  return out;
}

Result<Voxels> unpack(std::string_view bytes, int side) {
  Voxels voxels;
  const auto columns = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  if (!take_runs(bytes, columns, voxels.counts)) return bad_voxels();
  std::size_t spans = 0;
  for (const std::uint8_t count : voxels.counts) {
    if (count > kMaxColumnSpans) return bad_voxels();
    spans += count;
  }
  if (spans > kMaxTileSpans) return bad_voxels();
  if (!take_runs(bytes, spans, voxels.floors) || !take_runs(bytes, spans, voxels.rooms) ||
      !take_runs(bytes, spans, voxels.areas) || !bytes.empty()) {
    return bad_voxels();
  }
  std::size_t at = 0;
  for (const std::uint8_t count : voxels.counts) {
    std::uint32_t free_from = 0;
    for (const std::size_t end = at + count; at < end; ++at) {
      // What is built of them relies on it: from below, and each with room of its own.
      if (voxels.floors[at] < free_from || voxels.floors[at] > kMaxHeightCells ||
          voxels.rooms[at] == 0 || voxels.areas[at] > kMaxArea) {
        return bad_voxels();
      }
      free_from = std::uint32_t{voxels.floors[at]} + voxels.rooms[at];
    }
  }
  return voxels;
}

}  // namespace starbus::nav::mesh
