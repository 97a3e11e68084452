#include <algorithm>

#include "base/hex.hpp"
#include "bus/core/wire/ids.hpp"
#include "tools/cluster/cluster_view.hpp"

namespace starbus::bustop {

OriginNames::OriginNames(const Cluster& cluster) {
  for (const HostView& host : cluster.hosts) {
    for (const ProcessInfo& process : host.processes()) {
      const std::string node =
          process.name.substr(std::min(process.name.size(), host.name.size() + 1));
      names_[hex_of(bus::host_id(host.name)) + "." + hex_of(bus::slot_id(node))] = process.name;
    }
  }
}

std::string OriginNames::resolve(const std::string& origin) const {
  const auto found = names_.find(origin);
  return found == names_.end() ? origin : found->second;
}

}  // namespace starbus::bustop
