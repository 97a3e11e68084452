#include "bus/core/routers/root/root_state.hpp"

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

void RootState::reserve_grants() {
  if (granted + GrantBounds::kStep / 2 < bounds.most()) return;
  const std::uint64_t most = granted + GrantBounds::kStep;
  if (shell.remember_bounds(bounds.with(most))) bounds.reserved(most);
}

bool RootState::may_grant() {
  if (granted >= bounds.most()) reserve_grants();
  return granted < bounds.most();
}

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
