/// A whole node that runs spaces, for programs that are nothing else:
///
///   int main(int argc, char** argv) {
///     auto app = std::make_unique<space::SpaceApp>();
///     app->declare<Town>("town");
///     app->entity<Player>();
///     return nodes::run_node({.role = "space", .version = "1.0"}, std::move(app), argc, argv);
///   }
///
/// Its keys are of [spaces]: labels (strings); maps (folder of the maps that types name). Belongs
/// to the loop's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/hosting/entity_host.hpp"
#include "nodes/space/nav/nav_parts.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/travel/travels.hpp"

namespace starbus::nodes::space {

class SpaceApp : public App {
 public:
  /// As of SpaceHost, before run_node; what is wrong shows when the node starts.
  template <SpaceClassOf T>
  void declare(std::string type) requires std::constructible_from<T, SpaceInit> {
    spaces_to_declare_.emplace_back(
        [type = std::move(type)](SpaceHost& host, Node&) { host.declare<T>(type); });
  }
  /// For classes that need more of the node: `make(SpaceInit, Node&)` returns std::unique_ptr<T>.
  template <SpaceClassOf T, class Make>
  void declare(std::string type, Make make) {
    spaces_to_declare_.emplace_back([type = std::move(type), make](SpaceHost& host, Node& node) {
      host.declare<T>(type, [make, &node](SpaceInit init) { return make(std::move(init), node); });
    });
  }
  /// A class of entities, as of EntityHost.
  template <entity::EntityClass T>
  void entity(const entities::TypeOptions& options = {}) {
    entities_to_declare_.emplace_back(
        [options](entities::EntityHost& host) { host.declare<T>(options); });
  }

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  std::string status() const override;

  /// From start() on.
  SpaceHost& host() { return *spaces_; }
  entities::EntityHost& entities() { return *entities_; }
  Travels& travels() { return *travels_; }

 protected:
  /// Where entities are saved, and to whom their changes go; within start(). Spaces draw their ids
  /// from its `draw`, too, if that is set.
  virtual entities::HostOptions entity_options(Node&) { return {}; }
  /// Where a player goes when this node drains, or when its space has ended: see default_ways. The
  /// best place first; none: it stays, and ends with its space if the node drains.
  virtual std::vector<Wish> where_to(const entity::Entity& player, const Leaving& from) {
    return default_ways(player, from);
  }

 private:
  SpaceHostOptions options_;
  std::vector<std::function<void(SpaceHost&, Node&)>> spaces_to_declare_;
  std::vector<std::function<void(entities::EntityHost&)>> entities_to_declare_;
  std::string maps_;
  std::optional<crowds::NavParts> crowds_;
  std::optional<entities::EntityHost> entities_;
  std::optional<SpaceHost> spaces_;
  std::optional<Travels> travels_;  // ends first
};

}  // namespace starbus::nodes::space
