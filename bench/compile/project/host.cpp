// A process that makes players.
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/node.hpp"
#include "player.hpp"

namespace {

class Game final : public starbus::nodes::App {
 public:
  starbus::bus::Result<> start(starbus::nodes::Node& node) override {
    host_.emplace(node.rpc(), node.timers(), node.name(), starbus::nodes::entities::HostOptions{});
    host_->declare<game::Player>();
    return host_->join(node);
  }

 private:
  std::optional<starbus::nodes::entities::EntityHost> host_;
};

}  // namespace

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "service", .version = "1.0"}, std::make_unique<Game>(),
                                  argc, argv);
}
