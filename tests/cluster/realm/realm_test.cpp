/// A game of processes whose entities are kept in a database: what its shutdown leaves there, and
/// what the deaths of processes leave of entities that move.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "nodes/manager/manager_service.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/realm/game.hpp"
#include "tests/cluster/realm/realm.hpp"

namespace starbus::cluster_test {
namespace {

using nodes::manager::kManagerChannel;
using nodes::manager::ManagerService;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kHeroes = 60;  // of each node that has some

class RealmTest : public ClusterTest {
 protected:
  const std::vector<std::string> both = {"space-1", "space-2"};
  const std::vector<std::string> second = {"space-2"};
  struct Observer {
    Bus bus;
    rpc::Endpoint endpoint{bus};
  };
  boost::asio::awaitable<std::optional<RealmReport>> report(Observer& observer, std::string name) {
    const std::string desk = "realm/" + name;
    const auto asked =
        co_await rpc::call<&Realm::report>(observer.endpoint, desk, {.deadline = 1s});
    if (!asked) co_return std::nullopt;
    co_return *asked;
  }
  /// All of their own heroes were loaded; they live there, or were refused.
  boost::asio::awaitable<bool> all_open(Observer& observer, const std::vector<std::string>& names) {
    boost::asio::steady_timer pause(loop);
    for (int i = 0; i < 300; ++i) {
      std::size_t open = 0;
      for (const std::string& name : names) {
        const auto there = co_await report(observer, name);
        if (there && there->opened) ++open;
      }
      if (open == names.size()) co_return true;
      pause.expires_after(100ms);
      co_await pause.async_wait(use_awaitable);
    }
    co_return false;
  }
  /// It answers, at the latest the second time: the first call to another owner than before ends as
  /// owner_lost.
  boost::asio::awaitable<bool> answers(Observer& observer, std::string name) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const auto earned =
          co_await rpc::call<&Hero::earn>(observer.endpoint, name, {.deadline = 5s}, 1);
      if (earned) co_return true;
    }
    co_return false;
  }
  boost::asio::awaitable<void> shut_down(Observer& observer, Game& game) {
    const auto begun = std::chrono::steady_clock::now();
    const auto asked = co_await rpc::call<&ManagerService::shutdown>(observer.endpoint,
                                                                     kManagerChannel, {}, "test");
    CO_TRUE(asked);
    CO_TRUE(co_await until(30s, [&] { return game.manager->process().ended().has_value(); }));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::cout << game.daemons.size() << " nodes ended within " << took.count() << " s\n";
  }
};

TEST_F(RealmTest, AShutdownUnderLoadSavesAllThatWasAnswered) {
  Game game({.heroes = kHeroes});
  run(
      [&]() -> Task {
        Observer observer{Bus(loop, game.cluster.node("b", "observer"))};
        CO_OK(co_await observer.bus.connect(use_awaitable));
        game.start_twelve();
        CO_TRUE(co_await until(40s, [&] { return game.is_open(); }));
        boost::asio::steady_timer load(loop, 1s);
        co_await load.async_wait(use_awaitable);
        co_await shut_down(observer, game);
        for (const auto& each : game.daemons) EXPECT_EQ(each->process().wait(5s), 0) << each->log();
      },
      120s);
  EXPECT_THAT(game.out_of_order({{"gate"}, {"guilds"}, {"space"}, {"db"}}), IsEmpty());
  EXPECT_THAT(game.unsaved(), IsEmpty());
  EXPECT_GT(game.answered(), 100U) << "it was under load";
}

TEST_F(RealmTest, AStandingNodeIsNamedAndTheOthersLoseNothing) {
  Game game({.heroes = kHeroes, .manager_keys = "[shutdown]\ndeadline = '3s'"});
  run(
      [&]() -> Task {
        Observer observer{Bus(loop, game.cluster.node("b", "observer"))};
        CO_OK(co_await observer.bus.connect(use_awaitable));
        game.start_storage();
        for (int i = 1; i <= 3; ++i) game.home("a", "space-" + std::to_string(i), "space");
        Daemon& gate = game.gate("b", "gate-1");
        CO_TRUE(co_await until(40s, [&] { return game.is_open(); }));
        boost::asio::steady_timer load(loop, 1s);
        co_await load.async_wait(use_awaitable);
        game.homes["space-1"]->stop();  // SIGSTOP
        load.expires_after(200ms);      // calls that it has not acknowledged
        co_await load.async_wait(use_awaitable);
        co_await shut_down(observer, game);
        EXPECT_THAT(game.manager->log(), HasSubstr("a.space-1 (space) blocks stage spaces"));
        // Who leaves what that one has not acknowledged says so, and does not wait for it.
        CO_TRUE(co_await until(5s, [&] { return gate.process().ended().has_value(); }));
        EXPECT_EQ(gate.process().ended(), 0);
        EXPECT_THAT(gate.log(), HasSubstr("unacknowledged messages remain: "));
        EXPECT_THAT(gate.log(), HasSubstr("for hero/space-1."));
      },
      120s);
  EXPECT_THAT(game.unsaved({"space-1"}), IsEmpty());
}

TEST_F(RealmTest, OneHeroIsShownWhereverItLives) {
  Game game({.heroes = 3});
  game.start_storage();
  Daemon& home = game.home("b", "space-1", "space");
  ASSERT_TRUE(wait_for(40s, [&] { return game.is_open(); }));
  const auto bustop = [&](std::vector<std::string> arguments, const std::string& log) {
    arguments.insert(arguments.begin(), {program("bustop"), "entity"});
    arguments.insert(arguments.end(), {"--busd", game.cluster.endpoint("a")});
    return game.cluster.run(arguments, log)->wait(30s);
  };
  EXPECT_EQ(bustop({"hero/space-1.1", "--json"}, "json"), 0);
  const auto shown = nlohmann::json::parse(game.cluster.log_of("json"), nullptr, false);
  ASSERT_TRUE(shown.is_object()) << game.cluster.log_of("json");
  EXPECT_EQ(shown["type"], "hero");
  EXPECT_EQ(shown["persistent_id"], "space-1.1");
  EXPECT_EQ(shown["channel"], "hero/space-1.1");
  EXPECT_EQ(shown["properties"]["gold"], 0);
  EXPECT_EQ(bustop({"hero/space-1.1"}, "text"), 0);
  EXPECT_THAT(game.cluster.log_of("text"), HasSubstr("entity   hero space-1.1, alive\n"));
  EXPECT_EQ(bustop({"hero/nobody"}, "nobody"), 1);
  EXPECT_THAT(game.cluster.log_of("nobody"), HasSubstr("hero/nobody: no owner"));
  EXPECT_EQ(bustop({"realm/space-1"}, "desk"), 1);
  EXPECT_THAT(game.cluster.log_of("desk"), HasSubstr("not an entity"));
  // The same at its node, by any of its names; and lists.
  EXPECT_EQ(home.json("/entities?name=hero/space-1.1")["type"], "hero");
  EXPECT_EQ(home.json("/entities?name=space-1.1")["online_id"], shown["online_id"]);
  const std::string id = shown["online_id"];
  EXPECT_EQ(home.json("/entities?name=" + id)["persistent_id"], "space-1.1");
  EXPECT_EQ(home.get("/entities?name=nobody").status, 404);
  const auto page = home.json("/entities?type=hero");
  ASSERT_EQ(page["entities"].size(), 3U);
  EXPECT_TRUE(page["after"].is_null());
  const std::string first = page["entities"][0]["online_id"];
  EXPECT_EQ(home.json("/entities?type=hero&after=" + first)["entities"].size(), 2U);
  EXPECT_THAT(home.get("/metrics").body, HasSubstr("starbus_node_objects{class=\"test_hero\"} 3"));
}

TEST_F(RealmTest, ATargetThatIsKilledTakesOnlyWhatHadArrived) {
  Game game({.heroes = kHeroes});
  run(
      [&]() -> Task {
        Observer observer{Bus(loop, game.cluster.node("b", "observer"))};
        CO_OK(co_await observer.bus.connect(use_awaitable));
        game.start_storage();
        game.home("a", "space-1", "space");
        Daemon& target = game.realm("b", "space-2", "space", "needs = ['service/db']");
        CO_TRUE(co_await all_open(observer, both));
        for (int round = 0; round < 3; ++round) {
          const auto before = co_await report(observer, "space-1");
          CO_TRUE(before);
          CO_TRUE(co_await rpc::call<&Realm::move_all>(observer.endpoint, "realm/space-1", {},
                                                       "b.space-2"));
          boost::asio::steady_timer pause(loop, std::chrono::milliseconds(3 + 7 * round));
          co_await pause.async_wait(use_awaitable);
          target.kill();
          std::optional<RealmReport> after;
          for (int i = 0; i < 400; ++i) {
            after = co_await report(observer, "space-1");
            // What has moved ends in a later turn of its loop.
            if (after && after->moving == 0 &&
                after->present + after->moved_out == before->present + before->moved_out) {
              break;
            }
            pause.expires_after(100ms);
            co_await pause.async_wait(use_awaitable);
          }
          CO_TRUE(after && after->moving == 0);
          const std::uint64_t left = after->moved_out - before->moved_out;
          std::cout << left << " of " << before->present << " had moved, and "
                    << after->moves_failed - before->moves_failed << " came back\n";
          EXPECT_EQ(after->present + left, before->present)
              << "each is here, or had gone there: round " << round;
          // Those that are here are called as before.
          std::uint64_t here = 0;
          for (std::uint64_t i = 0; i < kHeroes; ++i) {
            const std::string name = Realm::hero_name("space-1", i);
            const bool answered = co_await answers(observer, name);
            if (answered) ++here;
          }
          EXPECT_EQ(here, after->present);
          target.start();
          CO_TRUE(co_await all_open(observer, second));
        }
      },
      150s);
}

TEST_F(RealmTest, ASourceThatIsKilledLeavesEachHeroOnce) {
  Game game({.heroes = kHeroes});
  run(
      [&]() -> Task {
        Observer observer{Bus(loop, game.cluster.node("b", "observer"))};
        CO_OK(co_await observer.bus.connect(use_awaitable));
        game.start_storage();
        Daemon& source = game.home("a", "space-1", "space");
        game.realm("b", "space-2", "space", "needs = ['service/db']");
        CO_TRUE(co_await all_open(observer, both));
        for (int round = 0; round < 3; ++round) {
          CO_TRUE(co_await rpc::call<&Realm::move_all>(observer.endpoint, "realm/space-1", {},
                                                       "b.space-2"));
          boost::asio::steady_timer pause(loop, std::chrono::milliseconds(3 + 7 * round));
          co_await pause.async_wait(use_awaitable);
          source.kill();
          // What was there dies with it, and is loaded again; what is elsewhere stays there.
          source.start();
          CO_TRUE(co_await all_open(observer, both));
          std::optional<RealmReport> one;
          std::optional<RealmReport> two;
          for (int i = 0; i < 100; ++i) {
            one = co_await report(observer, "space-1");
            two = co_await report(observer, "space-2");
            if (one && two && one->present + two->present == kHeroes) break;
            pause.expires_after(100ms);
            co_await pause.async_wait(use_awaitable);
          }
          CO_TRUE(one && two);
          std::cout << two->present << " of " << kHeroes << " live at the target\n";
          EXPECT_EQ(one->present + two->present, kHeroes) << "round " << round;
          EXPECT_EQ(one->refused, two->present) << "each lives in one place";
          for (std::uint64_t i = 0; i < kHeroes; ++i) {
            const std::string name = Realm::hero_name("space-1", i);
            const bool answered = co_await answers(observer, name);
            EXPECT_TRUE(answered) << name;
          }
        }
      },
      150s);
}

}  // namespace
}  // namespace starbus::cluster_test
