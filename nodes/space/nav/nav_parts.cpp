#include "nodes/space/nav/nav_parts.hpp"

#include <nlohmann/json.hpp>

#include "nodes/nav/crowds_admin.hpp"
#include "nodes/space/names.hpp"
#include "nodes/space/nav/space_nav.hpp"

namespace starbus::nodes::crowds {

void NavParts::add_to(space::SpaceHost& host) {
  host.add_part([this](space::GameSpace& space) -> std::unique_ptr<space::SpacePart> {
    if (!space.type().nav) return nullptr;
    const space::NavType& type = *space.type().nav;
    return std::make_unique<SpaceNav>(port_of(type.service), type, to_string(space.name()));
  });
  host.show_also("crowds", [this] { return shown(); });
}

CrowdPort& NavParts::port_of(const std::string& service) {
  if (service.empty()) return pool_;
  auto& remote = remote_[service];
  if (!remote) remote = std::make_unique<RemoteCrowds>(endpoint_, service);
  return *remote;
}

nlohmann::json NavParts::shown() const {
  return json_of(pool_);
}

}  // namespace starbus::nodes::crowds
