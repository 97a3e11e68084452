// The node that runs the game: chat rooms, the shop and players. Start as many as you like, on any
// host; the manager says which of the services each of them runs.
#include "chat.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/service/service_app.hpp"
#include "players.hpp"
#include "shop.hpp"

namespace {

using namespace game;
using namespace std::chrono_literals;

class Game final : public nodes::App {
 public:
  Game() {
    services_.add<Chat>(kChat);
    services_.add<Shop>(kShop);
    services_.add<Players>(kPlayers, {}, [this](service::Instance& instance, nodes::Node&) {
      return std::make_unique<Players>(instance, *entities_);
    });
  }
  void configure(daemon::ConfigReader& reader) override { services_.configure(reader); }
  /// Entities first: so they end last, when no service needs them any more.
  bus::Result<> start(nodes::Node& node) override {
    node.require("service/db");  // players are loaded from it, and saved to it
    database_.emplace(node.bus(), db::RemoteOptions{.database = "main"});
    saver_.emplace(*database_);
    entities_.emplace(node.rpc(), node.timers(), node.name(),
                      entities::HostOptions{.save = saver_->store(), .load = saver_->loader()});
    entities_->declare<Player>({.mirrored = true, .save_every = 1s});  // what a crash may take
    if (auto joined = entities_->join(node); !joined) return joined;
    return services_.start(node);
  }
  std::string status() const override { return services_.status(); }

 private:
  std::optional<db::RemoteDatabase> database_;
  std::optional<entities::DbSaver> saver_;
  std::optional<entities::EntityHost> entities_;
  service::ServiceApp services_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "service",
                          .version = "0.1",
                          .description = "Runs chat rooms, the shop and players.",
                          .program = "game-host"},
                         std::make_unique<Game>(), argc, argv);
}
