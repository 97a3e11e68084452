// A player as a game would write it, in at most 50 lines: made, hit, healed by its timer, sold to
// by a shop in another process, moved, and loaded again.
#include "tests/nodes/hosting/player/player.hpp"

#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>
#include <fstream>

#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/shelf.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::OnlineId;
using game::Backpack;
using game::Player;
using namespace std::chrono_literals;

namespace rpc = entity::rpc;

TEST(PlayerFile, HasAtMostFiftyLinesOfAtMostAHundredColumns) {
  std::ifstream file(source_file("tests/nodes/hosting/player/player.hpp"));
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_GT(lines, 0U);
  EXPECT_LE(lines, 50U);
}

/// A process that keeps its players on a shelf.
struct Realm {
  Realm(boost::asio::io_context& loop, const bus::Options& options, Shelf& shelf,
        std::uint64_t first)
      : drawn(first),
        saver(shelf),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    host.declare<Player>();
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<OnlineId> { return OnlineId{++drawn}; };
    made.save = saver.store();
    made.load = saver.loader();
    made.tick = 5ms;
    return made;
  }
  Player* ada() const { return entity::type_cast<Player>(host.entities().find_persistent("ada")); }
  std::uint64_t drawn;
  DbSaver saver;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class PlayerTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    for (Realm* realm : {&x, &y}) {
      const auto connected = co_await realm->bus.connect(use_awaitable);
      if (!connected) co_return false;
    }
    const auto bound = co_await y.endpoint.bind("service/shop", shop, use_awaitable);
    co_return bound.has_value();
  }
  /// Asks again while a former life is on its way out.
  boost::asio::awaitable<Player*> enter(Realm& at) {
    boost::asio::steady_timer pause(loop);
    while (true) {
      const auto entered = co_await at.host.enter<Player>("player/ada", {}, use_awaitable);
      if (entered && entered->entity != nullptr) co_return entered->entity;
      pause.expires_after(2ms);
      co_await pause.async_wait(use_awaitable);
    }
  }

  Shelf shelf{loop};
  game::Shop shop;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Realm x{loop, cluster.node("a", "x"), shelf, 0};
  Realm y{loop, cluster.node("b", "y"), shelf, 100};
};

TEST_F(PlayerTest, IsMadeHitHealedSoldToMovedAndLoaded) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    Player* ada = co_await enter(x);
    EXPECT_EQ(ada->type().name(), "player");
    const auto hit = co_await rpc::call<&Player::hit>(y.endpoint, "player/ada", {}, 30);
    CO_OK(hit);
    EXPECT_LE(*hit, 71);
    EXPECT_TRUE(co_await until([&] { return ada->state.hp > *hit + 1; })) << "its timer heals";

    const auto asked = co_await rpc::call<&Player::buy>(y.endpoint, "player/ada", {}, 3);
    CO_OK(asked);
    EXPECT_TRUE(*asked);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 70; }));
    const auto added = co_await rpc::call<&Backpack::add>(y.endpoint, "player/ada", {}, 5);
    CO_OK(added);
    EXPECT_TRUE(*added);

    EXPECT_TRUE(rpc::send<&Player::hit>(y.endpoint, "player/ada", {}, 20));
    EXPECT_TRUE(rpc::send<&Player::travel>(y.endpoint, "player/ada", {}, "b.y"));
    EXPECT_TRUE(co_await until([&] { return y.ada() != nullptr; }));
    ada = y.ada();
    EXPECT_EQ(ada->state.gold, 70);
    EXPECT_TRUE(ada->state.backpack->items.contains(3) && ada->state.backpack->items.contains(5));
    EXPECT_EQ(ada->waiting<&Player::regenerate>(), 1U)
        << "it came along, and no second one was set";
    const int before = ada->state.hp;
    EXPECT_TRUE(co_await until([&] { return ada->state.hp > before; }));

    ada->destroy();
    ada = co_await enter(x);
    EXPECT_EQ(ada->start_reason(), entity::StartReason::loaded);
    EXPECT_EQ(ada->state.gold, 70);
    EXPECT_TRUE(ada->state.backpack->items.contains(5));
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
