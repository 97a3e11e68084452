#include "busroot/allow_list.hpp"

#include <utility>

namespace starbus::busroot {

AllowList::AllowList(bool curve, Hosts hosts) : curve_(curve), hosts_(std::move(hosts)) {
  for (const auto& [host, keys] : hosts_) {
    for (const std::string& key : keys) owners_.emplace(key, host);
  }
}

Result<> AllowList::check(const std::string& key, const std::string& host) const {
  if (!curve_) {
    if (hosts_.empty() || hosts_.contains(host)) return {};
    return Error{bus::Errc::unauthorized, "host " + host + " is not on the list"};
  }
  const auto owner = owners_.find(key);
  if (owner == owners_.end()) return Error{bus::Errc::unauthorized, "its key is not on the list"};
  if (owner->second != host) {
    return Error{bus::Errc::unauthorized, "its key belongs to host " + owner->second};
  }
  return {};
}

}  // namespace starbus::busroot
