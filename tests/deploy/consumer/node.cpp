// A node with an entity that is kept in a database, from the installed package; says its version.
#include "entity/properties/properties.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace entity = starbus::entity;
namespace nodes = starbus::nodes;

struct PlayerState : entity::Properties<PlayerState> {
  entity::Field<int, entity::own_client | entity::save> gold{this, "gold", 100};
};
class Player final : public entity::EntityOf<Player> {
 public:
  static constexpr std::string_view kTypeName = "player";
  explicit Player(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  PlayerState state;

 private:
  ~Player() override = default;
};

class Town final : public nodes::App {
 public:
  starbus::bus::Result<> start(nodes::Node& node) override {
    database_.emplace(node.bus());
    saver_.emplace(*database_);
    host_.emplace(node.rpc(), node.timers(), node.name(),
                  nodes::entities::HostOptions{.save = saver_->store()});
    host_->declare<Player>();
    return host_->join(node);
  }

 private:
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<nodes::entities::EntityHost> host_;
};

int main(int argc, char** argv) {
  return nodes::run_node({.role = "town", .version = "1.0"}, std::make_unique<Town>(), argc, argv);
}
