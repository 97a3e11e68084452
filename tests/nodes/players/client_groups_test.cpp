// What a process says to groups of clients; a double stands for the gate.
#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>
#include <vector>

#include "entity/client/limits.hpp"
#include "nodes/players/client_groups.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::players {

// Not in the namespace without a name: nobody defines its methods.
struct CrowdClient {
  void said(std::string who, std::string line);
  static constexpr auto kClient = entity::client_methods(
      "test_crowd_client", entity::client_method<&CrowdClient::said>("said"));
};

namespace {

using boost::asio::use_awaitable;
namespace sessions = entity::sessions;

class ClientGroupsTest : public bus::LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  bus::Bus game{loop, cluster.node("a", "game")};
  bus::Bus gate{loop, cluster.node("b", "gate-1")};
  std::vector<sessions::Announcement> heard;
};

TEST_F(ClientGroupsTest, EachGateHearsEachCallOnceInOrder) {
  run([this]() -> bus::Task {
    CO_OK(co_await game.connect(use_awaitable));
    CO_OK(co_await gate.connect(use_awaitable));
    bus::Handlers handlers;
    handlers.on_message = [this](bus::Message& message) {
      const auto word = sessions::decode_announcement(message.body());
      EXPECT_TRUE(word);
      if (word) heard.push_back(*word);
    };
    CO_OK(co_await gate.bind("group/gates#b.gate-1", handlers, use_awaitable));
    ClientGroups groups(game);
    CO_OK(groups.call<&CrowdClient::said>("town", "ann", "hello"));
    EXPECT_EQ(groups
                  .call<&CrowdClient::said>(std::string(sessions::kGroupName + 1, 'g'), "ann",
                                            "to nobody")
                  .error(),
              sessions::SessionErrc::too_large);
    EXPECT_EQ(
        groups.call<&CrowdClient::said>("town", "ann", std::string(sessions::kPartBytes + 1, 'x'))
            .error(),
        sessions::SessionErrc::too_large);
    CO_OK(groups.call<&CrowdClient::said>("", "ann", "to all"));
    EXPECT_EQ(groups.said(), 2u) << "one that was refused has no number";
    const bool come = co_await until([this] { return heard.size() == 2; });
    EXPECT_TRUE(come);
    if (!come) co_return;
    bus::Bytes first, second;
    EXPECT_EQ(entity::encode_client_call<&CrowdClient::said>(first, "ann", "hello"),
              entity::DataErrc::ok);
    EXPECT_EQ(entity::encode_client_call<&CrowdClient::said>(second, "ann", "to all"),
              entity::DataErrc::ok);
    EXPECT_EQ(heard[0], (sessions::Announcement{1, "town", first}));
    EXPECT_EQ(heard[1], (sessions::Announcement{2, "", second}));
  });
}

}  // namespace
}  // namespace starbus::nodes::players
