/// Entities of a node that is a process: ids from a real manager, calls from another host, its
/// death, its return with what was saved, its drain.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "entity/rpc/rpc.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/nodes/hosting/guild.hpp"

namespace starbus::cluster_test {
namespace {

namespace rpc = entity::rpc;
using nodes::entities::Guild;
using ::testing::HasSubstr;

ClusterOptions with_store() {
  ClusterOptions options;
  options.more["b"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

class EntitiesTest : public ClusterTest {
 protected:
  std::unique_ptr<Daemon> town(int guilds) {
    const auto folder = cluster.folder() / "guilds";
    std::filesystem::create_directories(folder);
    return node_process(
        cluster, "starbus-test-town", "a", "town-1", "town",
        "folder = '" + folder.string() + "'\nguilds = " + std::to_string(guilds) + "\n");
  }
  /// A caller on the other host.
  struct Caller {
    Bus bus;
    rpc::Endpoint endpoint{bus};
  };
  /// What the guild has then; -1: there is no answer.
  boost::asio::awaitable<int> pay(Caller& caller, std::string guild, int gold) {
    const auto paid =
        co_await rpc::call<&Guild::pay>(caller.endpoint, guild, {.deadline = 5s}, gold);
    co_return paid ? *paid : -1;
  }
  /// What it has. The first call to another owner than before ends as owner_lost, and this one may
  /// be made again.
  boost::asio::awaitable<int> worth(Caller& caller, std::string guild) {
    const int first = co_await pay(caller, guild, 0);
    if (first >= 0) co_return first;
    const int second = co_await pay(caller, guild, 0);
    co_return second;
  }
  static bool has(Daemon& node, std::size_t guilds) {
    return node.serves() && node.json("/entities")["published"] == guilds;
  }
  Cluster cluster{with_store()};
};

TEST_F(EntitiesTest, AreCalledFromElsewhereDieAreLoadedAgainAndSavedByTheDrain) {
  run(
      [this]() -> Task {
        constexpr int kGuilds = 20;
        const auto node = town(kGuilds);
        node->start();
        // There is nobody to ask for ids.
        CO_TRUE(
            co_await until(20s, [&] { return node->log_lines_with("no online ids yet") >= 1; }));
        EXPECT_FALSE(node->serves());
        const auto manager = node_process(cluster, "starbus-manager", "b", "manager-1", "", "");
        manager->start();
        CO_TRUE(co_await until(20s, [&] { return has(*node, kGuilds); }));

        Caller caller{Bus(loop, cluster.node("b", "caller"))};
        CO_OK(co_await caller.bus.connect(use_awaitable));
        EXPECT_EQ(co_await pay(caller, "guild/g0", 5), 5);
        CO_OK(rpc::send<&Guild::pay>(caller.endpoint, "guild/g0", {}, 2));
        EXPECT_EQ(co_await pay(caller, "guild/g0", 0), 7);
        const auto page = node->json("/entities");
        EXPECT_EQ(page["present"], kGuilds);
        EXPECT_EQ(page["declared"], nlohmann::json::array({"guild"}));
        EXPECT_EQ(page["types"][0]["type"], "guild");
        EXPECT_EQ(page["types"][0]["created"], kGuilds);
        EXPECT_EQ(page["types"][0]["ended"], 0);
        EXPECT_EQ(page["refused"], 0);
        EXPECT_EQ(page["waits_for"], "");
        EXPECT_THAT(node->get("/metrics").body,
                    HasSubstr("starbus_entities{type=\"guild\"} " + std::to_string(kGuilds)));

        EXPECT_EQ(node->terminate(20s), 0);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cluster.folder() / "guilds"),
                                std::filesystem::directory_iterator()),
                  kGuilds);
        const auto left =
            co_await rpc::call<&Guild::pay>(caller.endpoint, "guild/g0", {.deadline = 5s}, 1);
        EXPECT_FALSE(left) << "it had an owner a moment ago";
        const auto gone =
            co_await rpc::call<&Guild::pay>(caller.endpoint, "guild/g0", {.deadline = 5s}, 1);
        EXPECT_TRUE(!gone && gone.error() == bus::Errc::no_owner);
        node->start();
        CO_TRUE(co_await until(20s, [&] { return has(*node, kGuilds); }));
        EXPECT_EQ(co_await worth(caller, "guild/g0"), 7) << "it was saved, and loaded";

        // A death takes what has not been saved, and says nothing that is not so.
        EXPECT_EQ(co_await pay(caller, "guild/g0", 3), 10);
        node->stop();
        std::optional<rpc::Reply<int>> lost;
        rpc::call<&Guild::pay>(caller.endpoint, "guild/g0", {.deadline = 15s},
                               1)([&](rpc::Reply<int> reply) { lost.emplace(std::move(reply)); });
        boost::asio::steady_timer timer(loop, 200ms);
        co_await timer.async_wait(use_awaitable);
        EXPECT_FALSE(lost);
        node->kill();
        CO_TRUE(co_await until(10s, [&] { return lost.has_value(); }));
        EXPECT_FALSE(*lost);
        EXPECT_EQ(lost->error(), bus::Errc::owner_lost) << "it ran, or not";
        node->start();
        CO_TRUE(co_await until(20s, [&] { return has(*node, kGuilds); }));
        EXPECT_EQ(co_await worth(caller, "guild/g0"), 7) << "what had been saved";
        for (int i = 1; i < kGuilds; ++i) {
          const std::string guild = "guild/g" + std::to_string(i);
          EXPECT_EQ(co_await pay(caller, guild, i), i);
        }
        EXPECT_EQ(node->terminate(20s), 0);
        node->start();
        CO_TRUE(co_await until(20s, [&] { return has(*node, kGuilds); }));
        for (int i = 1; i < kGuilds; ++i) {
          const std::string guild = "guild/g" + std::to_string(i);
          EXPECT_EQ(co_await worth(caller, guild), i);
        }
        EXPECT_EQ(node->terminate(20s), 0);
      },
      100s);
}

}  // namespace
}  // namespace starbus::cluster_test
