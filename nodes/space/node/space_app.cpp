#include "nodes/space/node/space_app.hpp"

#include "nodes/nav/crowds_admin.hpp"
#include "nodes/space/types/space_file.hpp"

namespace starbus::nodes::space {

void SpaceApp::configure(daemon::ConfigReader& reader) {
  daemon::ConfigReader spaces = reader.table("spaces");
  options_.labels = read_labels(spaces);
  maps_ = spaces.string("maps", "");
}

bus::Result<> SpaceApp::start(Node& node) {
  entities::HostOptions how = entity_options(node);
  options_.draw = how.draw;
  entities_.emplace(node.rpc(), node.timers(), node.name(), std::move(how));
  for (const auto& declaration : entities_to_declare_) declaration(*entities_);
  spaces_.emplace(node.rpc(), node.timers(), entities_->entities(), options_);
  crowds_.emplace(node.tasks(), node.rpc(), crowds::NavPartsOptions{.maps = maps_});
  crowds_->add_to(*spaces_);
  crowds::add_metrics(node.process_context().metrics, crowds_->pool());
  for (const auto& declaration : spaces_to_declare_) declaration(*spaces_, node);
  TravelOptions ways;
  ways.where_to = [this](const entity::Entity& player, const Leaving& from) {
    return where_to(player, from);
  };
  travels_.emplace(node.rpc(), node.timers(), *entities_, *spaces_, std::move(ways));
  if (auto joined = entities_->join(node); !joined) return joined;
  if (auto joined = spaces_->join(node); !joined) return joined;
  return travels_->join(node);  // drains first, then spaces, then entities
}

std::string SpaceApp::status() const {
  if (!spaces_) return {};
  return std::to_string(spaces_->size()) + " spaces";
}

}  // namespace starbus::nodes::space
