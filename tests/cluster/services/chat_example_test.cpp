// examples/chat as its page says: rooms that hosts keep, and a board that shows all of them without
// asking.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {
namespace {

class ChatExampleTest : public ClusterTest {
 protected:
  std::unique_ptr<Daemon> started(const std::string& program_name, const std::string& host,
                                  const std::string& name, const std::string& tables = {}) {
    auto made = node_process(cluster, program_name, host, name, "", "");
    if (!tables.empty()) {
      std::ofstream(made->config_file(), std::ios::app) << tables;
    }
    made->start();
    return made;
  }
  /// The board's answer, once it is that the line was said.
  boost::asio::awaitable<bool> said(const Daemon& board, int room, const char* line) {
    const std::string target = "/say?room=room-" + std::to_string(room) + "&line=" + line;
    co_return co_await until(20s, [&] { return http_post(board.admin(), target).status == 200; });
  }
  static bool shows(const Daemon& board, int room, const std::string& last) {
    const auto rooms = board.json("/rooms");
    const auto found = rooms.find("room-" + std::to_string(room));
    return found != rooms.end() && found->at("current") == true &&
           found->at("lines").back() == last;
  }

  Cluster cluster;
  static constexpr int kRooms = 12;
};

TEST_F(ChatExampleTest, TheBoardShowsEveryRoomWhoeverHostsIt) {
  run(
      [this]() -> Task {
        const auto manager = started("starbus-manager", "a", "manager-1",
                                     "[[service]]\ntype = 'chat'\npartitions = 4\n");
        const auto one = started("chat", "a", "chat-1");
        const auto two = started("chat", "b", "chat-2");
        const auto board = started("chat-board", "b", "board-1");
        CO_TRUE(co_await until(20s, [&] {
          return manager->serves() && one->serves() && two->serves() && board->serves();
        }));
        for (int room = 0; room < kRooms; ++room) CO_TRUE(co_await said(*board, room, "first"));
        for (int room = 0; room < kRooms; ++room) {
          EXPECT_TRUE(co_await until(10s, [&] { return shows(*board, room, "first"); })) << room;
        }
        two->kill();  // what was said there is forgotten; its partitions go on at the other host
        for (int room = 0; room < kRooms; ++room) CO_TRUE(co_await said(*board, room, "second"));
        for (int room = 0; room < kRooms; ++room) {
          EXPECT_TRUE(co_await until(10s, [&] { return shows(*board, room, "second"); })) << room;
        }
        const std::string too_long(300, 'x');
        const auto refused = http_post(board->admin(), "/say?room=room-1&line=" + too_long);
        EXPECT_EQ(refused.status, 503);
        EXPECT_NE(refused.body.find("too_many"), std::string::npos) << refused.body;
      },
      90s);
}

}  // namespace
}  // namespace starbus::cluster_test
