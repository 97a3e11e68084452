/// Entities within a whole node: its states, its drain, its admin server's page.
#include <gmock/gmock.h>

#include <optional>

#include "tests/nodes/hosting/guild.hpp"
#include "tests/nodes/hosting/one_node.hpp"

namespace starbus::nodes::entities {
namespace {

using ::testing::ElementsAre;

/// Makes a guild when it is ready, pays it over the bus, and ends.
class Town final : public App {
 public:
  Town(std::function<void()> begin, std::vector<std::string>& log)
      : begin_(std::move(begin)), log_(log) {}

  bus::Result<> start(Node& node) override {
    begin_();
    HostOptions options;
    options.draw = [] { return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{7}); };
    options.save = [this](const SavedEntity& saved, const Done& done) {
      log_.push_back("saved " + saved.type);
      done({});
    };
    host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
    host_->declare<Guild>();
    node.on_state([this, &node](NodeState state) {
      if (state == NodeState::ready) found(node);
    });
    return host_->join(node);
  }

 private:
  void found(Node& node) {
    host_->publish(*host_->entities().create<Guild>().value(), [this, &node](bus::Result<> bound) {
      log_.push_back(bound ? "bound" : bound.error().to_string());
      rpc::call<&Guild::pay>(node.rpc(), "entity/7", {}, 5)([this, &node](const auto& paid) {
        log_.push_back(paid ? "paid " + std::to_string(*paid) : paid.error().to_string());
        node.stop();
      });
    });
  }

  std::function<void()> begin_;
  std::vector<std::string>& log_;
  std::optional<EntityHost> host_;
};

TEST(EntityNode, ItsDrainEndsAndSavesWhatLivesThere) {
  std::vector<std::string> log;
  run_one_node(
      [&](std::function<void()> begin) { return std::make_unique<Town>(std::move(begin), log); });
  EXPECT_THAT(log, ElementsAre("bound", "paid 5", "saved guild"));
}

}  // namespace
}  // namespace starbus::nodes::entities
