/// Maps and scenarios that others have written. The first byte says which.
#include <cstdlib>
#include <string_view>

#include "nav/formats/moving_ai.hpp"
#include "nav/grid/layer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::nav {
namespace {

void must(bool promise) {
  if (!promise) std::abort();
}

// A map that is read passes every check, and comes back as it was.
void read_a_map(std::string_view text) {
  const auto terrain = formats::read_map(text);
  if (!terrain) {
    return must(terrain.error() == Errc::corrupt || terrain.error() == Errc::too_large);
  }
  must(grid::check(*terrain).has_value());
  const auto again = formats::read_map(formats::write_map(*terrain));
  must(again && again->areas == terrain->areas && again->width == terrain->width);
  if (terrain->areas.size() > 4'096) return;
  grid::Layer layer(*terrain, {});
  must(!layer.can_jump() || layer.prepare().has_value());
  must(layer.prepare_clusters(~0u) && layer.clusters() != nullptr);
}

void read_some_scenarios(std::string_view text) {
  const auto scenarios = formats::read_scenarios(text);
  if (!scenarios) return must(scenarios.error() == Errc::corrupt);
  for (const formats::Scenario& one : *scenarios) must(one.length >= 0);
}

}  // namespace
}  // namespace starbus::nav

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  data[0] % 2 == 0 ? starbus::nav::read_a_map(text) : starbus::nav::read_some_scenarios(text);
  return 0;
}
