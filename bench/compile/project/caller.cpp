// A process that calls players of others.
#include "nodes/runtime/node.hpp"
#include "player.hpp"

namespace {

class Healer final : public starbus::nodes::App {
 public:
  starbus::bus::Result<> start(starbus::nodes::Node& node) override {
    node.on_state([this, &node](starbus::nodes::NodeState state) {
      if (state != starbus::nodes::NodeState::ready) return;
      game::rpc::call<&game::Player::hit>(node.rpc(), "player/ada", {},
                                          1)([this](const auto& hp) { left_ = hp ? *hp : 0; });
      sent_ = game::rpc::send<&game::Player::say>(node.rpc(), "player/ada", {}, "ada").has_value();
    });
    return {};
  }

 private:
  int left_ = 0;
  bool sent_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "service", .version = "1.0"}, std::make_unique<Healer>(),
                                  argc, argv);
}
