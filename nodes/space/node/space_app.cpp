#include "nodes/space/node/space_app.hpp"

#include "nodes/space/types/space_file.hpp"

namespace starbus::nodes::space {

void SpaceApp::configure(daemon::ConfigReader& reader) {
  daemon::ConfigReader spaces = reader.table("spaces");
  options_.labels = read_labels(spaces);
}

bus::Result<> SpaceApp::start(Node& node) {
  entities::HostOptions how = entity_options(node);
  options_.draw = how.draw;
  entities_.emplace(node.rpc(), node.timers(), node.name(), std::move(how));
  for (const auto& declaration : entities_to_declare_) declaration(*entities_);
  spaces_.emplace(node.rpc(), node.timers(), entities_->entities(), options_);
  for (const auto& declaration : spaces_to_declare_) declaration(*spaces_, node);
  if (auto joined = entities_->join(node); !joined) return joined;
  return spaces_->join(node);  // drains first
}

std::string SpaceApp::status() const {
  if (!spaces_) return {};
  return std::to_string(spaces_->size()) + " spaces";
}

}  // namespace starbus::nodes::space
