/// Entities within a whole node: its states, its drain, its admin server's page.
#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <optional>
#include <thread>

#include "bus/testing/cluster.hpp"
#include "tests/bus/daemon/support.hpp"
#include "tests/nodes/entities/guild.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::daemon::test::LogCapture;
using bus::daemon::test::TempFolder;
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
  TempFolder folder;
  LogCapture former;
  boost::asio::io_context cluster_loop;
  starbus::testing::Cluster cluster(cluster_loop, {});
  std::thread cluster_thread;
  const auto file = folder.write(
      "node.toml", "node = 'n'\nstate_directory = '" + (folder.path() / "state").string() +
                       "'\n[bus]\nendpoint = '" + cluster.node("a", "n").endpoint +
                       "'\n[log]\ntarget = '" + (folder.path() / "log").string() + "'\n");
  const std::string path = file.string();
  const std::vector<const char*> arguments = {"node", "--config", path.c_str()};
  std::vector<std::string> log;
  // The cluster begins when run_node has set its logger, to which both write.
  auto town = std::make_unique<Town>(
      [&] { cluster_thread = std::thread([&] { cluster_loop.run(); }); }, log);
  EXPECT_EQ(run_node({.role = "town"}, std::move(town), static_cast<int>(arguments.size()),
                     arguments.data()),
            bus::daemon::kExitOk)
      << folder.read("log");
  cluster_loop.stop();
  if (cluster_thread.joinable()) cluster_thread.join();
  EXPECT_THAT(log, ElementsAre("bound", "paid 5", "saved guild"));
}

}  // namespace
}  // namespace starbus::nodes::entities
