// The node that runs the game: chat rooms, the shop, accounts and players. Start as many as you
// like, on any host; the manager says which of the services each of them runs.
#include "accounts.hpp"
#include "chat.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/players/account_loader.hpp"
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
  void configure(daemon::ConfigReader& reader) override {
    services_.configure(reader);
    accounts_.configure(reader);
  }
  /// Entities first: so they end last, when no service needs them any more.
  bus::Result<> start(nodes::Node& node) override {
    node.require("service/db");  // accounts and players are loaded from it, and saved to it
    database_.emplace(node.bus(), db::RemoteOptions{.database = "main"});
    // Before one is loaded its document gets the epoch of its new owner: no earlier one can save
    // it.
    saver_.emplace(*database_, entities::DbSaverOptions{.checkout = [&node](const std::string& type,
                                                                            const std::string& id) {
      return node.bus().epoch(type + "/" + id).value;
    }});
    entities_.emplace(node.rpc(), node.timers(), node.name(),
                      entities::HostOptions{.save = saver_->store(), .load = saver_->loader()});
    entities_->declare<Player>({.mirrored = true, .save_every = 1s});  // what a crash may take
    if (auto ready = accounts_.start(node, *entities_); !ready) return ready;
    // Gates and logins have an account loaded in one of the nodes that offer this.
    loader_.emplace(players::load_account_here<Account>(*entities_));
    node.offer(std::string(players::kAccountService), *loader_);
    if (auto joined = entities_->join(node); !joined) return joined;
    return services_.start(node);
  }
  std::string status() const override { return services_.status(); }

 private:
  std::optional<db::RemoteDatabase> database_;
  std::optional<entities::DbSaver> saver_;
  Accounts accounts_;
  std::optional<entities::EntityHost> entities_;
  std::optional<players::AccountLoader> loader_;
  service::ServiceApp services_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "service",
                          .version = "0.1",
                          .description = "Runs chat rooms, the shop, accounts and players.",
                          .program = "game-host"},
                         std::make_unique<Game>(), argc, argv);
}
