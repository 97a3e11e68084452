#include "nodes/space/types/space_file.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "aoi/check.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/names.hpp"
#include "nodes/space/types/nav_file.hpp"
#include "nodes/space/types/position_key.hpp"

namespace starbus::nodes::space {
namespace {

using daemon::ConfigReader;

void read_area(ConfigReader& table, SpaceType& type) {
  constexpr double kWidest = aoi::kMaxRadius;
  type.min = read_position(table, "min");
  type.max = read_position(table, "max");
  type.sight = static_cast<float>(table.number("sight", 30, 1, kWidest));
  type.leave_margin = static_cast<float>(table.number("leave_margin", 0, 0, kWidest));
  const double reach = static_cast<double>(type.sight) + static_cast<double>(type.leave_margin);
  if (reach > kWidest) {
    table.problem("leave_margin", "'leave_margin': sight and margin together are at most " +
                                      std::to_string(aoi::kMaxRadius) + " m");
  }
  type.cell = static_cast<float>(table.number("cell", std::min(reach, kWidest), 1, kWidest));
  for (std::size_t i = 0; i < 2; ++i) {
    if (type.max[i] > type.min[i]) continue;
    table.problem("max", "'max': x and y must be greater than those of 'min'");
    return;
  }
  if (type.max[2] < type.min[2]) {
    table.problem("max", "'max': z must not be less than that of 'min'");
  } else if (const auto checked = aoi::check(world_options(type)); !checked) {
    const bool many = checked.error() == aoi::Errc::too_large;
    const std::string text = many ? "the area has more than " + std::to_string(aoi::kMaxCells) +
                                        " of them; give larger cells, or a smaller area"
                                  : checked.error().to_string();
    table.problem("cell", "'cell': " + text);
  }
}

void read_lines(ConfigReader& table, SpaceType& type) {
  constexpr auto kMost = static_cast<std::uint32_t>(kMaxLines);
  type.max_lines = table.integer<std::uint32_t>("max_lines", 1, 1, kMost);
  type.min_lines = table.integer<std::uint32_t>("min_lines", 0, 0, kMost);
  type.precreated = table.integer<std::uint32_t>("precreated", type.min_lines, 0, kMost);
  for (const char* const key : {"min_lines", "precreated"}) {
    const auto lines = key == std::string_view("precreated") ? type.precreated : type.min_lines;
    if (type.scope == Scope::key && lines > 0) {
      table.problem(key, std::string("'") + key +
                             "': a type with scope = \"key\" has no place before a key is entered; "
                             "leave it out");
    } else if (lines > type.max_lines) {
      table.problem(key, std::string("'") + key + "': at most 'max_lines', which is " +
                             std::to_string(type.max_lines));
    }
  }
  if (type.precreated < type.min_lines) {
    table.problem("precreated",
                  "'precreated': at least 'min_lines', which is " + std::to_string(type.min_lines));
  }
}

SpaceType read_one(ConfigReader& table) {
  SpaceType type;
  type.name = table.required_string("type");
  if (!type.name.empty()) {
    if (const auto checked = check_type(type.name); !checked) {
      table.problem("type", "'type': " + checked.error().detail);
    }
  }
  type.scope =
      table.choice("scope", "cluster", {"cluster", "key"}) == "key" ? Scope::key : Scope::cluster;
  constexpr auto kMost = static_cast<std::uint32_t>(kMaxCapacity);
  if (!table.has("capacity")) {
    table.problem("capacity", "'capacity': missing; give the most players of a space, 1 to " +
                                  std::to_string(kMost));
  }
  type.capacity = table.integer<std::uint32_t>("capacity", 1, 1, kMost);
  const std::uint32_t soft = std::max<std::uint32_t>(1, type.capacity * 4 / 5);
  type.soft_capacity = table.integer<std::uint32_t>("soft_capacity", soft, 1, kMost);
  if (type.soft_capacity > type.capacity) {
    table.problem("soft_capacity",
                  "'soft_capacity': at most 'capacity', which is " + std::to_string(type.capacity));
  }
  read_lines(table, type);
  type.idle = table.duration("idle", kDefaultIdle, kShortestIdle, kLongestIdle);
  type.countdown = table.duration("countdown", kDefaultCountdown, {}, kLongestCountdown);
  read_area(table, type);
  constexpr auto kTicks = static_cast<std::uint32_t>(kMaxTicksPerSecond);
  type.ticks_per_second = table.integer<std::uint32_t>("ticks_per_second", 10, 1, kTicks);
  constexpr auto kWeight = static_cast<std::uint32_t>(kDefaultWeight);
  constexpr auto kHeaviest = static_cast<std::uint32_t>(kMaxWeight);
  type.weight = table.integer<std::uint32_t>("weight", kWeight, 1, kHeaviest);
  type.labels = read_labels(table);
  type.next = table.string("next", "");
  type.nav = read_nav(table, type.ticks_per_second);
  return type;
}

}  // namespace

std::vector<std::string> read_labels(ConfigReader& table) {
  std::vector<std::string> labels = table.strings("labels");
  if (labels.size() > kMaxSpaceLabels) {
    table.problem("labels", "'labels': at most " + std::to_string(kMaxSpaceLabels));
  }
  for (const std::string& label : labels) {
    if (is_label(label)) continue;
    table.problem("labels", "'labels': give each 1 to " + std::to_string(kMaxSpaceLabel) +
                                " of a-z A-Z 0-9 _ -");
    break;
  }
  return labels;
}

void read_space_types(ConfigReader& reader, SpaceTypes& types) {
  for (ConfigReader& table : reader.tables("space")) {
    SpaceType type = read_one(table);
    std::string name = type.name;
    if (name.empty()) continue;  // noted
    if (!types.try_emplace(name, std::move(type)).second) {
      table.problem("type", "'type': '" + name + "' is there twice; give each type one [[space]]");
    }
  }
  if (types.size() > kMaxSpaceTypes) {
    reader.problem("space",
                   "more than " + std::to_string(kMaxSpaceTypes) + " types; take some out");
  }
}

Result<> check_next(const SpaceTypes& types) {
  std::string problems;
  for (const auto& [name, type] : types) {
    if (type.next.empty()) continue;
    const auto found = types.find(type.next);
    if (found != types.end() && found->second.scope == Scope::cluster) continue;
    const std::string why = found == types.end() ? "no file has that type"
                                                 : "its places have keys; name a type without";
    problems += (problems.empty() ? "" : "\n") + ("type '" + name + "', 'next': '" + type.next) +
                "': " + why;
  }
  if (problems.empty()) return {};
  return Error(bus::Errc::bad_config, std::move(problems));
}

}  // namespace starbus::nodes::space
