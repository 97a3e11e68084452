// The node that runs the game: chat rooms and players. Start as many as you like, on any host; the
// manager says which partitions each of them runs.
#include "chat.hpp"
#include "nodes/service/service_app.hpp"
#include "players.hpp"

namespace {

using namespace game;

class Game final : public nodes::App {
 public:
  Game() {
    services_.add<Chat>(kChat);
    services_.add<Players>(kPlayers, {}, [this](service::Instance& instance, nodes::Node&) {
      return std::make_unique<Players>(instance, *entities_);
    });
  }
  void configure(daemon::ConfigReader& reader) override { services_.configure(reader); }
  /// Entities first: so they end last, when no service needs them any more.
  bus::Result<> start(nodes::Node& node) override {
    entities_.emplace(node.rpc(), node.timers(), node.name(), entities::HostOptions{});
    entities_->declare<Player>({.mirrored = true});
    if (auto joined = entities_->join(node); !joined) return joined;
    return services_.start(node);
  }
  std::string status() const override { return services_.status(); }

 private:
  std::optional<entities::EntityHost> entities_;
  service::ServiceApp services_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "service",
                          .version = "0.1",
                          .description = "Runs chat rooms and players.",
                          .program = "game-host"},
                         std::make_unique<Game>(), argc, argv);
}
