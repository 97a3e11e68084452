// What a process announces to clients; a double stands for the gate.
#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>
#include <vector>

#include "entity/client/announcement.hpp"
#include "entity/client/limits.hpp"
#include "entity/objects/announce.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::entities {

// Not in the namespace without a name: nobody defines its methods.
struct CrowdClient {
  void said(std::string who, std::string line);
  static constexpr auto kClient = entity::client_methods(
      "test_crowd_client", entity::client_method<&CrowdClient::said>("said"));
};

namespace {

using boost::asio::use_awaitable;
namespace sessions = entity::sessions;

class AnnounceTest : public bus::LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  bus::Bus game{loop, cluster.node("a", "game")};
  bus::Bus gate{loop, cluster.node("b", "gate-1")};
  std::vector<sessions::Announcement> heard;
};

TEST_F(AnnounceTest, EachGateHearsEachCallOnceInOrder) {
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
    entity::rpc::Endpoint endpoint(game);
    const auto say = [&endpoint](const std::string& group, const std::string& line) {
      return entity::announce<&CrowdClient::said>(endpoint, group, "ann", line);
    };
    CO_OK(say("town", "hello"));
    EXPECT_EQ(say(std::string(sessions::kGroupName + 1, 'g'), "to nobody").error(),
              sessions::SessionErrc::too_large);
    EXPECT_EQ(say("town", std::string(sessions::kPartBytes + 1, 'x')).error(),
              sessions::SessionErrc::too_large);
    CO_OK(say("", "to all"));
    const bool come = co_await until([this] { return heard.size() == 2; });
    EXPECT_TRUE(come);
    if (!come) co_return;
    bus::Bytes first, second;
    EXPECT_EQ(entity::encode_client_call<&CrowdClient::said>(first, "ann", "hello"),
              entity::DataErrc::ok);
    EXPECT_EQ(entity::encode_client_call<&CrowdClient::said>(second, "ann", "to all"),
              entity::DataErrc::ok);
    const std::uint64_t number = heard[0].number;
    EXPECT_EQ(heard[0], (sessions::Announcement{number, "town", {}, first}));
    EXPECT_EQ(heard[1], (sessions::Announcement{number + 1, "", {}, second}))
        << "one that was refused has no number";
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
