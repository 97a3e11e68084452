// The shutdown of a cluster of processes: nothing is lost, in order, by its deadlines.
#include <nlohmann/json.hpp>

#include "nodes/runtime/node_control.hpp"
#include "tests/cluster/manager/manager_fixture.hpp"

namespace starbus::cluster_test {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;

class ShutdownTest : public ManagerTest {
 protected:
  /// Gates that write to services and spaces, which save in databases: twelve in all.
  void start_game() {
    for (const char* host : {"a", "b", "a"}) {
      const std::string n = std::to_string(daemons.size());
      gates.push_back(&member(host, "gate-" + n, "gate",
                              "loads = ['service/chat', 'service/arena']\n"
                              "needs = ['service/chat', 'service/arena', 'service/db']"));
      savers.push_back(&member(host, "chat-" + n, "chat",
                               "offer = 'service/chat'\nsaves_to = 'service/db'\n"
                               "needs = ['service/db']\nsave_takes = '50ms'"));
      savers.push_back(&member(host, "space-" + n, "space",
                               "offer = 'service/arena'\nsaves_to = 'service/db'\n"
                               "needs = ['service/db']\nsave_takes = '50ms'"));
    }
    member("b", "login-1", "login", "");
    for (const char* host : {"a", "b"}) {
      bases.push_back(&member(host, std::string("db-") + host, "db",
                              "offer = 'service/db'\nsave_takes = '50ms'"));
    }
  }
  /// What the gates were told is taken, by services whose names end like this, is in a file of a
  /// database.
  void expect_nothing_lost(const std::string& services) const {
    std::map<std::string, std::uint64_t> kept;
    for (const Daemon* base : bases) {
      for (const auto& [key, number] : numbers_of(*base)) {
        kept[key] = std::max(kept[key], number);
      }
    }
    std::size_t keys = 0;
    for (const Daemon* gate : gates) {
      for (const auto& [key, number] : numbers_of(*gate)) {
        if (!key.ends_with(services)) continue;
        ++keys;
        EXPECT_GT(number, 0u) << key;
        EXPECT_GE(kept[key], number) << key;
      }
    }
    EXPECT_GE(keys, gates.size());
  }
  /// All of the earlier roles have saved before any of a later one begins to drain.
  void expect_order(const std::vector<std::vector<std::string>>& stages) const {
    std::size_t latest = 0;
    for (const std::string& line : noted()) {
      EXPECT_THAT(line, testing::Not(HasSubstr("could not save")));
      for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const std::string& role : stages[i]) {
          if (line.find(" " + role + " ") == std::string::npos) continue;
          EXPECT_GE(i, latest) << line << " comes too late";
          latest = std::max(latest, i);
        }
      }
    }
  }

  std::vector<Daemon*> gates;
  std::vector<Daemon*> savers;
  std::vector<Daemon*> bases;
};

TEST_F(ShutdownTest, TwelveNodesUnderLoadEndInOrderAndNothingIsLost) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        start_game();
        Daemon& boss = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(13));
        boost::asio::steady_timer load(loop, 500ms);
        co_await load.async_wait(use_awaitable);

        const auto plan = co_await rpc::call<&ManagerService::shutdown_report>(observer.endpoint,
                                                                               kManagerChannel, {});
        CO_TRUE(plan && plan->phase == ShutdownPhase::idle);
        EXPECT_EQ(stage(*plan, "gates").nodes.size(), 4u);
        EXPECT_EQ(stage(*plan, "services").nodes.size(), 3u) << "chat is a role of no stage";
        EXPECT_EQ(stage(*plan, "spaces").nodes.size(), 3u);
        EXPECT_EQ(stage(*plan, "storage").nodes.size(), 2u);

        const auto begun = std::chrono::steady_clock::now();
        const auto asked = co_await rpc::call<&ManagerService::shutdown>(
            observer.endpoint, kManagerChannel, {}, "first");
        CO_TRUE(asked && asked->phase == ShutdownPhase::running);
        const auto again = co_await rpc::call<&ManagerService::shutdown>(
            observer.endpoint, kManagerChannel, {}, "second");
        CO_TRUE(again);
        EXPECT_EQ(again->reason, "first") << "a second request joins the one that runs";
        const ShutdownReport last = co_await report_when(observer, ShutdownPhase::done, 20s);
        EXPECT_TRUE(last.blocked.empty());
        EXPECT_EQ(last.reason, "first");
        EXPECT_THAT(last.stages, Each(Field(&StageReport::state, StageState::done)));
        CO_TRUE(co_await until(20s, [&] { return boss.process().ended().has_value(); }));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        RecordProperty("seconds", std::to_string(took.count()));
        std::cout << "12 nodes and their manager ended within " << took.count() << " s\n";
        EXPECT_LT(took, 20s);
        for (const auto& each : daemons) EXPECT_EQ(each->process().wait(5s), 0) << each->log();
      },
      90s);
  expect_nothing_lost("");
  expect_order({{"gate", "login"}, {"chat"}, {"space"}, {"db"}});
}

TEST_F(ShutdownTest, AStoppedNodeIsNamedByItsDeadline) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        start_game();
        Daemon& slow = member("b", "chat-slow", "chat", "drain_never = true");
        Daemon& boss = manager("a", "manager-1", "[shutdown]\ndeadline = '3s'");
        CO_TRUE(co_await all_ready(14));
        boost::asio::steady_timer load(loop, 300ms);
        co_await load.async_wait(use_awaitable);

        savers[0]->stop();  // SIGSTOP
        const auto begun = std::chrono::steady_clock::now();
        CO_TRUE(co_await rpc::call<&ManagerService::shutdown>(observer.endpoint, kManagerChannel,
                                                              {}, "test"));
        const ShutdownReport last = co_await report_when(observer, ShutdownPhase::done, 20s);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        std::cout << "with one that stands still, and a deadline of 3 s: " << took.count()
                  << " s\n";
        EXPECT_LT(took, 15s);
        EXPECT_EQ(stage(last, "gates").state, StageState::done)
            << "calls to one that stands still hold nobody up";
        EXPECT_EQ(stage(last, "services").state, StageState::late);
        EXPECT_GE(stage(last, "services").elapsed_ms, 3000u);
        EXPECT_LT(stage(last, "services").elapsed_ms, 10'000u);
        EXPECT_EQ(stage(last, "spaces").state, StageState::done) << "the next stage goes on";
        EXPECT_EQ(stage(last, "storage").state, StageState::done);
        CO_TRUE(last.blocked.size() == 2);
        EXPECT_EQ(last.blocked[0].node.process, "a.chat-0");
        EXPECT_EQ(last.blocked[0].node.status, "does not answer");
        EXPECT_EQ(last.blocked[0].stage, "services");
        EXPECT_EQ(last.blocked[1].node.process, "b.chat-slow");
        EXPECT_THAT(last.blocked[1].node.status, HasSubstr("step 'note it'"));
        CO_TRUE(co_await until(10s, [&] { return boss.process().ended().has_value(); }));
        EXPECT_EQ(boss.process().ended(), 0);
        EXPECT_THAT(boss.log(), HasSubstr("a.chat-0 (chat) blocks stage services"));
        for (const auto& each : daemons) {
          if (each.get() == &slow || each.get() == savers[0]) continue;
          EXPECT_EQ(each->process().wait(5s), 0) << each->log();
        }
        EXPECT_FALSE(slow.process().ended());
        // One that goes on behind it all drains, as it was told.
        savers[0]->cont();
        CO_TRUE(co_await until(40s, [&] { return savers[0]->process().ended().has_value(); }));
        EXPECT_EQ(savers[0]->process().ended(), 0) << savers[0]->log();
      },
      90s);
  expect_nothing_lost("/service/arena");
}

TEST_F(ShutdownTest, AManagerThatDiesMeanwhileIsAskedAgain) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        Daemon& gate = member("a", "gate-1", "gate", "");
        Daemon& chat = member("b", "chat-1", "chat", "drain_never = true");
        Daemon& space = member("a", "space-1", "space", "");
        Daemon& boss = manager("a", "manager-1", "[shutdown]\ndeadline = '5s'");
        CO_TRUE(co_await all_ready(4));
        CO_TRUE(co_await rpc::call<&ManagerService::shutdown>(observer.endpoint, kManagerChannel,
                                                              {}, "test"));
        CO_TRUE(co_await until(10s, [&] { return !ready.contains("b.chat-1"); }));
        EXPECT_EQ(gate.process().wait(5s), 0);
        boss.restart();  // kill -9
        // It knows all that is there, and goes on only when it is asked.
        const ShutdownReport idle = co_await report_when(observer, ShutdownPhase::idle, 20s);
        CO_TRUE(stage(idle, "services").nodes.size() == 1);
        EXPECT_EQ(stage(idle, "spaces").nodes.size(), 1u);
        boost::asio::steady_timer pause(loop, 500ms);
        co_await pause.async_wait(use_awaitable);
        EXPECT_FALSE(space.process().ended());

        // A node that comes while it runs, of a stage that is over, ends too.
        CO_TRUE(co_await rpc::call<&ManagerService::shutdown>(observer.endpoint, kManagerChannel,
                                                              {}, "again"));
        Daemon& late = member("b", "gate-2", "gate", "");
        CO_TRUE(co_await until(10s, [&] { return late.process().ended().has_value(); }));
        EXPECT_EQ(late.process().ended(), 0);
        EXPECT_FALSE(space.process().ended());
        chat.process().kill();  // a death counts as gone
        const ShutdownReport last = co_await report_when(observer, ShutdownPhase::done, 20s);
        EXPECT_TRUE(last.blocked.empty());
        EXPECT_EQ(space.process().wait(5s), 0);
        EXPECT_EQ(boss.process().wait(5s), 0);
      },
      90s);
}

TEST_F(ShutdownTest, AStandbyTakesOverAndEndsWithTheFirst) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        Daemon& chat = member("b", "chat-1", "chat", "");
        Daemon& first = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(2));
        Daemon& standby = manager("b", "manager-2");
        CO_TRUE(co_await until(
            10s, [&] { return standby.log().find("tries again") != std::string::npos; }));
        first.kill();
        CO_TRUE(co_await until(20s, [&] { return ready.contains("b.manager-2"); }));
        first.start();
        const auto report = co_await rpc::call<&ManagerService::cluster>(observer.endpoint,
                                                                         kManagerChannel, {}, "");
        CO_TRUE(report);
        EXPECT_EQ(report->manager, "b.manager-2");
        CO_TRUE(co_await until(10s, [&] {
          const auto nodes = standby.json("/cluster")["nodes"];  // the first stands by now
          return nodes.size() == 3 && nodes[0]["role"] == "manager";
        }));
        CO_TRUE(co_await rpc::call<&ManagerService::shutdown>(observer.endpoint, kManagerChannel,
                                                              {}, "test"));
        const ShutdownReport last = co_await report_when(observer, ShutdownPhase::done, 20s);
        EXPECT_EQ(stage(last, "managers").ended, 1u);
        for (Daemon* each : {&chat, &first, &standby}) EXPECT_EQ(each->process().wait(10s), 0);
      },
      90s);
}

TEST_F(ShutdownTest, BustopShowsThePlanTheCourseAndWhoBlocks) {
  Daemon& space = member("a", "space-1", "space", "");
  Daemon& chat = member("b", "chat-1", "chat", "drain_never = true");
  Daemon& boss = manager("a", "manager-1", "[shutdown]\ndeadline = '1s'");
  for (Daemon* each : {&space, &chat, &boss}) {
    ASSERT_TRUE(wait_for(20s, [&] { return each->serves(); }));
  }
  const auto bustop = [this](std::vector<std::string> arguments, const std::string& log) {
    arguments.insert(arguments.begin(), program("bustop"));
    arguments.insert(arguments.end(), {"--busd", cluster.endpoint("b")});
    return cluster.run(arguments, log)->wait(30s);
  };
  ASSERT_TRUE(wait_for(10s, [&] { return bustop({"cluster"}, "list") == 0; }));
  EXPECT_THAT(cluster.log_of("list"), HasSubstr("3 nodes, as a.manager-1 sees them"));
  EXPECT_THAT(cluster.log_of("list"), HasSubstr("b.chat-1"));
  EXPECT_EQ(bustop({"shutdown"}, "plan"), 0);
  EXPECT_THAT(cluster.log_of("plan"), HasSubstr("no shutdown is under way"));
  EXPECT_EQ(bustop({"shutdown", "--follow", "--json"}, "json"), 0);
  const auto plan = nlohmann::json::parse(cluster.log_of("json"));
  EXPECT_EQ(plan["phase"], "idle");
  EXPECT_EQ(plan["stages"][3]["nodes"][0]["process"], "a.space-1");

  EXPECT_EQ(bustop({"shutdown", "--reason", "test"}, "course"), 2);
  const std::string course = cluster.log_of("course");
  EXPECT_THAT(course, HasSubstr("gates: done, 0 nodes ended in 0 ms\n"));
  EXPECT_THAT(course, HasSubstr("services: late, 0 nodes ended in 1"));
  EXPECT_THAT(course, HasSubstr("b.chat-1 (chat): draining, drains: step 'note it', 2 of 2"));
  EXPECT_THAT(course, HasSubstr("spaces: done, 1 node ended in"));
  EXPECT_THAT(course, HasSubstr("but 1 node did not end in time"));
  EXPECT_EQ(boss.process().wait(10s), 0);
  EXPECT_EQ(space.process().wait(10s), 0);
  EXPECT_EQ(bustop({"shutdown", "--timeout", "1s"}, "none"), 4);
  EXPECT_THAT(cluster.log_of("none"), HasSubstr("start starbus-manager on some host"));
}

TEST_F(ShutdownTest, BustopAsksTheNextManagerToGoOn) {
  Daemon& gate = member("a", "gate-1", "gate", "");
  Daemon& chat = member("b", "chat-1", "chat", "save_takes = '2s'");
  Daemon& space = member("a", "space-1", "space", "");
  Daemon& boss = manager("a", "manager-1", "[shutdown]\ndeadline = '20s'");
  for (Daemon* each : {&gate, &chat, &space, &boss}) {
    ASSERT_TRUE(wait_for(20s, [&] { return each->serves(); }));
  }
  const auto bustop = cluster.run(
      {program("bustop"), "shutdown", "--reason", "test", "--busd", cluster.endpoint("b")},
      "course");
  EXPECT_EQ(gate.process().wait(20s), 0);
  ASSERT_FALSE(space.process().ended());
  boss.restart();  // kill -9: it comes back, and knows of no shutdown
  EXPECT_EQ(bustop->wait(60s), 0);
  EXPECT_THAT(cluster.log_of("course"), HasSubstr("the next one is asked"));
  for (Daemon* each : {&chat, &space, &boss}) EXPECT_EQ(each->process().wait(10s), 0);
}

TEST_F(ShutdownTest, ReportsShowHowNodesAre) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        Daemon& chat = member("b", "chat-1", "chat", "");
        Daemon& boss = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(2));
        const auto row = [&] {
          const auto nodes = boss.json("/cluster")["nodes"];
          return nodes.size() == 2 ? nodes[1] : nlohmann::json::object();
        };
        CO_TRUE(co_await until(10s, [&] {
          const auto now = row();
          return now.value("state", "") == "ready" && now.value("answers", false);
        }));
        EXPECT_EQ(row()["role"], "chat");
        EXPECT_EQ(row()["process"], "b.chat-1");
        EXPECT_LT(row()["age_ms"], 5000);
        chat.stop();
        CO_TRUE(co_await until(10s, [&] { return !row().value("answers", true); }));
        chat.cont();
        CO_TRUE(co_await until(10s, [&] { return row().value("answers", false); }));
        EXPECT_EQ(boss.terminate(10s), 0) << "SIGTERM ends the manager, and nobody else";
        EXPECT_FALSE(chat.process().ended());
      },
      60s);
}

}  // namespace
}  // namespace starbus::cluster_test
