// The game's classes on a cluster of two hosts within this process: real routers, no daemons to
// start, no manager (the test says what runs where).
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <functional>
#include <map>

#include "chat.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/service/partitions.hpp"
#include "nodes/service/service_host.hpp"
#include "player_copy.hpp"
#include "players.hpp"
#include "shop.hpp"
#include "testing/cluster.hpp"

namespace game {
namespace {

using namespace std::chrono_literals;

/// What is saved of players, by name: in the place of the database.
using Saved = std::map<std::string, bus::Bytes>;

/// A process that hosts the game, or only calls it.
struct Process {
  Process(boost::asio::io_context& context, const bus::Options& options, Saved& saved,
          std::uint64_t first_id)
      : bus(context, options),
        loop(context),
        players(rpc, loop.timers(), options.node, with(saved, first_id)),
        host(rpc, loop.timers(), {}) {
    players.world().add(around);
    players.declare<Player>({.mirrored = true});
    host.add<Chat>(kChat).value();
    host.add<Shop>(kShop).value();
    host.add<Players>(kPlayers, {},
                      [this](service::Instance& instance) {
                        return std::make_unique<Players>(instance, players);
                      })
        .value();
    host.open();
    bus.connect([this](const bus::Result<>& result) { connected = result.has_value(); });
  }
  /// The part of the manager.
  void place(const service::InstanceId& id) {
    rpc::Caller manager;
    host.order(manager, {1, {{service::Action::Kind::place, id}}}).value();
  }

  /// There is no manager to draw ids from, and no database.
  static entities::HostOptions with(Saved& saved, std::uint64_t first_id) {
    entities::HostOptions made;
    made.draw = [next = first_id]() mutable {
      return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{next++});
    };
    made.save = [&saved](const entities::SavedEntity& player, const nodes::Done& done) {
      saved[player.persistent_id] = player.properties;
      done({});
    };
    made.load = [&saved](const std::string&, const std::string& name, const auto& done) {
      const auto found = saved.find(name);
      if (found == saved.end()) return done(std::optional<bus::Bytes>());
      done(std::optional<bus::Bytes>(found->second));
    };
    return made;
  }

  bus::Bus bus;
  entity::rpc::Endpoint rpc{bus};
  nodes::MainLoop loop;
  players::AccountWorld around;  // without accounts: nobody logs in here
  entities::EntityHost players;
  service::ServiceHost host;
  bool connected = false;
};

class GameTest : public testing::Test {
 protected:
  GameTest() {
    until([this] { return here.connected && there.connected; });
    for (std::uint32_t i = 1; i <= kChatPartitions; ++i) here.place({kChat, i, kChatPartitions});
    for (std::uint32_t i = 1; i <= kPlayersPartitions; ++i) {
      here.place({kPlayers, i, kPlayersPartitions});
    }
    here.place({kShop, 1, 0});
  }
  /// Runs the loop until `condition`; fails the test if that takes too long.
  void until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition() && loop.run_one_until(deadline) != 0) {
    }
    ASSERT_TRUE(condition()) << "not so in 20 s";
  }
  /// The answer of a call by key, from the other host.
  template <auto Method, class... A>
  auto ask(service::Partitions& service, const std::string& key, const A&... arguments) {
    using Traits = rpc::TraitsOf<Method>;
    std::optional<service::Answer<typename Traits::Value, typename Traits::Refusal>> answer;
    service.call<Method>(key, {.deadline = 10s},
                         arguments...)([&](auto ended) { answer = std::move(ended); });
    until([&] { return answer.has_value(); });
    return *answer;
  }

  Saved saved;
  boost::asio::io_context loop;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Process here{loop, cluster.node("a", "game"), saved, 1};
  Process there{loop, cluster.node("b", "console"), saved, 1'000};
};

TEST_F(GameTest, ARoomRemembersWhatWasSaid) {
  service::Partitions chat(there.rpc, kChat, kChatPartitions);
  EXPECT_EQ(ask<&Chat::say>(chat, "lobby", "lobby", "hello").value(), 1u);
  EXPECT_EQ(ask<&Chat::say>(chat, "lobby", "lobby", "world").value(), 2u);
  EXPECT_EQ(ask<&Chat::history>(chat, "lobby", "lobby").value(),
            (std::vector<std::string>{"hello", "world"}));
  EXPECT_TRUE(ask<&Chat::history>(chat, "kitchen", "kitchen").value().empty());
}

TEST_F(GameTest, WhatIsNoNameIsRefused) {
  service::Partitions chat(there.rpc, kChat, kChatPartitions);
  const auto said = ask<&Chat::say>(chat, "A room", "A room", "hello");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().error.code, service::Errc::bad_name);
}

TEST_F(GameTest, ACopyFollowsThePlayer) {
  service::Partitions players(there.rpc, kPlayers, kPlayersPartitions);
  const auto channel = ask<&Players::enter>(players, "alice", "alice");
  ASSERT_TRUE(channel) << channel.error().to_string();
  PlayerCopy copy(there.rpc, there.loop.timers(), "alice");
  until([&] { return copy.status().current; });
  EXPECT_EQ(copy.state().at, "a.game");

  std::int64_t score = 0;
  for (int i = 0; i < 3; ++i) {
    rpc::call<&Player::add_score>(there.rpc, *channel, {},
                                  10)([&](const auto& answer) { score = answer.value(); });
  }
  until([&] { return score == 30 && copy.state().score == 30; });
  EXPECT_EQ(copy.counters().snapshots, 1u) << "then changes only";
  EXPECT_GE(copy.counters().deltas, 1u) << "one for each tick that changed something";
}

TEST_F(GameTest, APlayerBuysAtTheShopAndTravels) {
  service::Partitions players(there.rpc, kPlayers, kPlayersPartitions);
  const auto channel = ask<&Players::enter>(players, "bob", "bob");
  ASSERT_TRUE(channel) << channel.error().to_string();
  PlayerCopy copy(there.rpc, there.loop.timers(), "bob");
  rpc::call<&Player::buy>(there.rpc, *channel, {},
                          3)([](const auto& asked) { EXPECT_TRUE(asked && *asked); });
  until([&] { return copy.state().gold == 70; });
  rpc::call<&Player::travel>(there.rpc, *channel, {},
                             "b.console")([](const auto& told) { EXPECT_TRUE(told); });
  until([&] { return copy.state().at == "b.console"; });
  EXPECT_TRUE(copy.state().backpack->items.contains(3));
  auto* bob = static_cast<Player*>(there.players.entities().find_persistent("bob"));
  ASSERT_NE(bob, nullptr);
  EXPECT_EQ(bob->waiting<&Player::rest>(), 1u) << "its timer came along";
}

TEST_F(GameTest, WhatAPlayerSaysHasABound) {
  service::Partitions players(there.rpc, kPlayers, kPlayersPartitions);
  const auto channel = ask<&Players::enter>(players, "cat", "cat");
  ASSERT_TRUE(channel) << channel.error().to_string();
  std::vector<bool> said;
  for (const std::size_t length : {kLongestWord, kLongestWord + 1, std::size_t{0}}) {
    rpc::call<&Player::say>(there.rpc, *channel, {}, std::string(length, 'x'))(
        [&](const auto& answer) { said.push_back(answer && *answer); });
  }
  until([&] { return said.size() == 3; });
  EXPECT_EQ(said, (std::vector<bool>{true, false, false}));
}

TEST_F(GameTest, APlayerComesBackAsItWasSaved) {
  service::Partitions players(there.rpc, kPlayers, kPlayersPartitions);
  const auto channel = ask<&Players::enter>(players, "eve", "eve");
  ASSERT_TRUE(channel) << channel.error().to_string();
  auto* eve = static_cast<Player*>(here.players.entities().find_persistent("eve"));
  ASSERT_NE(eve, nullptr);
  eve->state.score = 30;
  eve->destroy();
  while (!ask<&Players::enter>(players, "eve", "eve")) {  // busy: her former life has not ended
  }
  eve = static_cast<Player*>(here.players.entities().find_persistent("eve"));
  ASSERT_NE(eve, nullptr);
  EXPECT_EQ(eve->state.score, 30);
  EXPECT_EQ(eve->state.at, "a.game");
}

}  // namespace
}  // namespace game
