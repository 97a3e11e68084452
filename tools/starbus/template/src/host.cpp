// The node that runs the game: chat rooms and players. Start as many as you like, on any host; the
// manager says which partitions each of them runs.
#include "chat.hpp"
#include "nodes/service/service_app.hpp"
#include "players.hpp"

int main(int argc, char** argv) {
  auto app = std::make_unique<game::service::ServiceApp>();
  app->add<game::Chat>(game::kChat);
  app->add<game::Players>(game::kPlayers, {}, [](game::service::Instance& instance, auto& node) {
    return std::make_unique<game::Players>(instance, node.rpc(), node.process());
  });
  return game::nodes::run_node({.role = "service",
                                .version = "0.1",
                                .description = "Runs chat rooms and players.",
                                .program = "game-host"},
                               std::move(app), argc, argv);
}
