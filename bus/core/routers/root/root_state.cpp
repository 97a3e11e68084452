#include "bus/core/routers/root/root_state.hpp"

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

HostEntry* RootState::find_host(std::string_view name) const {
  const auto found = hosts.find(host_id(name));
  return found != hosts.end() && found->second->name == name ? found->second.get() : nullptr;
}

RootProcess* RootState::find_process(const Process& id) const {
  const auto host = hosts.find(id.host);
  if (host == hosts.end()) return nullptr;
  const auto found = host->second->processes.find(id);
  return found == host->second->processes.end() ? nullptr : found->second.get();
}

RootMove RootState::move_of(const Directory::Entry& entry) const {
  if (moves.empty()) return {};
  const auto found = moves.find(entry.id());
  return found == moves.end() ? RootMove{} : found->second;
}

}  // namespace starbus::bus
