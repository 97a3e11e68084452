#include "nodes/manager/placement/placement_settings.hpp"

#include <set>

#include "nodes/manager/placement/limits.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::manager {
namespace {

using daemon::ConfigReader;

WantedType read_one(ConfigReader& table, std::uint32_t hosts, std::set<std::string>& seen) {
  WantedType wanted;
  wanted.type = table.required_string("type");
  if (const auto checked = service::check_type(wanted.type); !checked) {
    table.problem("type", "'type': " + checked.error().detail);
  } else if (!seen.insert(wanted.type).second) {
    table.problem("type", "'type': '" + wanted.type + "' is there twice");
  }
  constexpr auto kMost = static_cast<std::uint32_t>(service::kMaxCount);
  wanted.partitioned = table.has("partitions");
  if (wanted.partitioned && table.has("instances")) {
    table.problem("instances", "'instances' or 'partitions', not both");
  }
  const auto instances = table.integer<std::uint32_t>("instances", 1, 0, kMost);
  const auto partitions = table.integer<std::uint32_t>("partitions", 1, 0, kMost);
  wanted.count = wanted.partitioned ? partitions : instances;
  wanted.hosts = table.integer<std::uint32_t>("hosts", hosts, 0, kMaxServiceHosts);
  wanted.labels = table.strings("labels");
  for (const std::string& label : wanted.labels) {
    const auto checked = service::check_label(label);
    if (!checked) table.problem("labels", "'labels': " + checked.error().detail);
  }
  return wanted;
}

}  // namespace

std::vector<WantedType> read_wanted_types(ConfigReader& reader) {
  const auto hosts =
      reader.table("services").integer<std::uint32_t>("hosts", 1, 0, kMaxServiceHosts);
  std::vector<WantedType> wanted;
  std::set<std::string> seen;
  for (ConfigReader& table : reader.tables("service")) {
    wanted.push_back(read_one(table, hosts, seen));
  }
  if (wanted.size() > kMaxWantedTypes) {
    reader.problem("service", "more than " + std::to_string(kMaxWantedTypes) + " types");
  }
  return wanted;
}

}  // namespace starbus::nodes::manager
