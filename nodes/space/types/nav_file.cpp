#include "nodes/space/types/nav_file.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "nav/limits.hpp"
#include "nodes/nav/limits.hpp"

namespace starbus::nodes::space {
namespace {

using daemon::ConfigReader;

std::vector<std::uint8_t> read_areas(ConfigReader& table) {
  std::vector<std::uint8_t> areas;
  for (const ConfigReader::Scalar& value : table.scalars("closed")) {
    const auto* const area = std::get_if<std::int64_t>(&value);
    if (area == nullptr || *area < 1 || *area > nav::kMaxArea) {
      table.problem("closed", "'closed': give areas, 1 to " + std::to_string(nav::kMaxArea));
      return {};
    }
    areas.push_back(static_cast<std::uint8_t>(*area));
  }
  return areas;
}

crowds::WalkerKind read_kind(ConfigReader& table) {
  crowds::WalkerKind kind;
  kind.name = table.required_string("name");
  if (kind.name.size() > crowds::kMaxKindName) {
    table.problem("name", "'name': at most " + std::to_string(crowds::kMaxKindName) + " bytes");
  }
  kind.radius = static_cast<float>(table.number("radius", 0.4, 0, 100));
  kind.climb = static_cast<float>(table.number("climb", 1, 0, 100));
  kind.closed = read_areas(table);
  return kind;
}

std::vector<crowds::WalkerKind> read_kinds(ConfigReader& nav) {
  std::vector<crowds::WalkerKind> kinds;
  std::set<std::string> names;
  for (ConfigReader& table : nav.tables("kind")) {
    kinds.push_back(read_kind(table));
    if (!names.insert(kinds.back().name).second) {
      table.problem("name", "'name': '" + kinds.back().name + "' is there twice");
    }
  }
  if (kinds.empty()) kinds.push_back({.name = "walker", .closed = {}});
  if (kinds.size() > crowds::kMaxWalkerKinds) {
    nav.problem("kind", "'kind': at most " + std::to_string(crowds::kMaxWalkerKinds));
  }
  return kinds;
}

}  // namespace

std::optional<NavType> read_nav(ConfigReader& space, std::uint32_t ticks_per_second) {
  ConfigReader table = space.table("nav");
  if (!space.has("nav")) return std::nullopt;
  NavType nav;
  nav.crowd.map = table.required_string("map");
  if (nav.crowd.map.size() > crowds::kMaxMapName) {
    table.problem("map", "'map': at most " + std::to_string(crowds::kMaxMapName) + " bytes");
  }
  nav.declared = table.located("map", "");
  constexpr auto kMost = static_cast<std::uint32_t>(crowds::kMaxPoolWalkers);
  if (!table.has("walkers")) {
    table.problem("walkers",
                  "'walkers': missing; give the most walkers of a space, players "
                  "included, 1 to " +
                      std::to_string(kMost));
  }
  nav.crowd.walkers = table.integer<std::uint32_t>("walkers", 1, 1, kMost);
  nav.steps_per_second = table.integer<std::uint32_t>(
      "steps_per_second", std::min<std::uint32_t>(10, ticks_per_second), 1, ticks_per_second);
  nav.crowd.nodes_per_step = table.integer<std::uint32_t>("nodes_per_step", 4'096, 1, 1'000'000);
  nav.crowd.reach =
      static_cast<float>(table.number("reach", 4, 0.1, static_cast<double>(crowds::kMaxSnap)));
  nav.crowd.obstacles = table.integer<std::uint32_t>(
      "obstacles", 0, 0, static_cast<std::uint32_t>(crowds::kMaxBlocks));
  nav.service = table.string("service", "");
  nav.crowd.kinds = read_kinds(table);
  return nav;
}

}  // namespace starbus::nodes::space
