#include "nodes/space/service/spaces_app.hpp"

#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "nodes/space/ports.hpp"
#include "nodes/space/service/space_service.hpp"
#include "nodes/space/service/spaces_admin.hpp"

namespace starbus::nodes::space {

/// The host of the services, of ServiceApp, ends after the members of this class: it makes, and
/// ends, services of this desk for as long as it lives.
SpacesApp::SpacesApp() : desk_(std::make_shared<SpaceDesk>()) {
  add<SpaceService>(
      std::string(kServiceType), {}, [desk = desk_](service::Instance& instance, Node& node) {
        return std::make_unique<SpaceService>(instance, node.rpc(), node.timers(), *desk);
      });
}

SpacesApp::~SpacesApp() = default;

void SpacesApp::configure(daemon::ConfigReader& reader) {
  ServiceApp::configure(reader);
  fresh_ = read_spaces_settings(reader);
}

bus::Result<> SpacesApp::start(Node& node) {
  desk_->types = fresh_.types;
  add_spaces_admin(node.process_context(), *desk_);
  return ServiceApp::start(node);
}

bus::Result<> SpacesApp::reload() {
  desk_->types = fresh_.types;
  if (desk_->service != nullptr) desk_->service->reload(desk_->types);
  spdlog::info("{} types of spaces, of {} files", desk_->types.size(), fresh_.files.size());
  return {};
}

}  // namespace starbus::nodes::space
