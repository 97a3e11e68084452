// Nodes as processes: readiness, watching, drains, and what they make of daemons that die.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>

#include "nodes/runtime/node_control.hpp"
#include "nodes/runtime/presence.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/nodes/probe.hpp"

namespace starbus::cluster_test {
namespace {

using nodes::ReadyUpdate;
using testing::HasSubstr;

class NodesTest : public ClusterTest {
 protected:
  /// Not started; `keys` are of its configuration file.
  std::unique_ptr<Daemon> node(const std::string& host, const std::string& name,
                               const std::string& role, const std::string& keys) {
    return node_process(cluster, "starbus-test-node", host, name, role, keys);
  }

  /// Notes who is ready, of all roles, from now on.
  void watch_ready(Bus& bus) {
    auto watch = nodes::watch_ready(bus, "", [this](const ReadyUpdate& update) {
      for (const auto& each : update.came) {
        ready.insert(each.process);
        ++arrivals;
      }
      for (const auto& each : update.left) ready.erase(each.process);
    });
    ASSERT_TRUE(watch);
    watching = std::move(*watch);
  }
  /// A process that sees who is ready, and calls nodes.
  struct Observer {
    Bus bus;
    rpc::Endpoint endpoint{bus};
  };
  /// On the bus, and watching; false if it does not get there.
  boost::asio::awaitable<bool> begin(Observer& observer) {
    const auto connected = co_await observer.bus.connect(use_awaitable);
    if (!connected) co_return false;
    watch_ready(observer.bus);
    const auto answering = co_await observer.endpoint.ready(use_awaitable);
    co_return answering.has_value();
  }
  bool is_ready(const std::string& process) const { return ready.contains(process); }

  Cluster cluster;
  bus::WatchHandle watching;
  std::set<std::string> ready;
  int arrivals = 0;
};

TEST_F(NodesTest, ANodeIsReadyWhenItsRequirementsAreAndDrainsOnSigterm) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        rpc::Endpoint& endpoint = observer.endpoint;

        const auto chat = node("a", "chat-1", "chat",
                               "offer = 'service/chat'\nneeds = ['service/db']\ndrain = '50ms'");
        chat->start();
        CO_TRUE(co_await until(10s, [&] {
          return chat->get("/inspect").body.find("\"state\":\"registered\"") != std::string::npos;
        }));
        EXPECT_EQ(chat->get("/healthz").status, 503);
        EXPECT_THAT(chat->get("/healthz").body, HasSubstr("service/db (0 of 1)"));
        const auto early = co_await rpc::call<&Probe::where>(endpoint, "service/chat", {});
        EXPECT_FALSE(early) << "nothing is routed to a node that is not ready";
        EXPECT_FALSE(is_ready("a.chat-1"));

        const auto db = node("b", "db-1", "db", "offer = 'service/db'\nbefore_ready = '50ms'");
        db->start();
        // In either order: db's service is bound before its "ready".
        CO_TRUE(co_await until(10s, [&] { return is_ready("a.chat-1") && is_ready("b.db-1"); }));
        EXPECT_TRUE(chat->serves());
        const auto where = co_await rpc::call<&Probe::where>(endpoint, "service/chat", {});
        EXPECT_TRUE(where && *where == "a.chat-1");
        const auto posted = co_await rpc::call<&Probe::posted>(endpoint, "service/chat", {});
        EXPECT_TRUE(posted && *posted == 100);
        const auto report =
            co_await rpc::call<&nodes::NodeControl::report>(endpoint, "node/a.chat-1", {});
        EXPECT_TRUE(report && report->state == nodes::NodeState::ready && report->role == "chat");

        db->process().kill();  // without a word
        CO_TRUE(co_await until(10s, [&] { return !is_ready("b.db-1"); }));
        EXPECT_TRUE(is_ready("a.chat-1")) << "requirements gate the way to ready only";
        CO_TRUE(co_await until(10s, [&] {
          return chat->log().find("the requirement service/db is not met any more") !=
                 std::string::npos;
        }));

        chat->process().signal(SIGTERM);
        CO_TRUE(co_await until(10s, [&] { return chat->process().ended().has_value(); }));
        EXPECT_EQ(chat->process().ended(), 0);
        CO_TRUE(co_await until(10s, [&] { return !is_ready("a.chat-1"); }));
        EXPECT_EQ(arrivals, 2) << "each became ready once";
      },
      60s);
}

TEST_F(NodesTest, ARestartOfABusdOrAPauseChangesNoState) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        rpc::Endpoint& endpoint = observer.endpoint;
        const auto chat = node("a", "chat-1", "chat", "offer = 'service/chat'");
        chat->start();
        CO_TRUE(co_await until(10s, [&] { return is_ready("a.chat-1"); }));

        cluster.busd("a").restart();  // kill -9
        rpc::CallOptions patient;
        patient.deadline = 15s;
        const auto where = co_await rpc::call<&Probe::where>(endpoint, "service/chat", patient);
        EXPECT_TRUE(where && *where == "a.chat-1");

        chat->stop();  // SIGSTOP
        boost::asio::steady_timer pause(loop, 1s);
        co_await pause.async_wait(use_awaitable);
        chat->cont();
        const auto again = co_await rpc::call<&Probe::where>(endpoint, "service/chat", patient);
        EXPECT_TRUE(again && *again == "a.chat-1");
        EXPECT_EQ(arrivals, 1) << "it has been ready all the time";
        CO_TRUE(co_await until(
            10s, [&] { return chat->log_lines_with("the whole process stood still for") >= 1; }));

        cluster.busd("a").kill();  // and what is not acknowledged waits for it
        chat->process().signal(SIGTERM);
        CO_TRUE(
            co_await until(10s, [&] { return chat->log_lines_with("chat-1 is draining") >= 1; }));
        cluster.busd("a").start();
        CO_TRUE(co_await until(15s, [&] { return chat->process().ended().has_value(); }));
        EXPECT_EQ(chat->process().ended(), 0);
        CO_TRUE(co_await until(10s, [&] { return !is_ready("a.chat-1"); }));
      },
      90s);
}

TEST_F(NodesTest, AHandlerThatBlocksTheLoopIsNamed) {
  run(
      [this]() -> Task {
        Observer caller{Bus(loop, cluster.node("a", "caller"))};
        CO_TRUE(co_await begin(caller));
        rpc::Endpoint& endpoint = caller.endpoint;
        const auto chat =
            node("a", "chat-1", "chat", "offer = 'service/chat'\n[loop]\nstall = '400ms'");
        chat->start();
        CO_TRUE(co_await until(10s, [&] { return is_ready("a.chat-1"); }));
        const auto blocked = co_await rpc::call<&Probe::block>(endpoint, "service/chat", {}, 2500);
        EXPECT_TRUE(blocked);
        CO_TRUE(co_await until(10s, [&] {
          return chat->log().find("the loop goes on: 'probe.block' had blocked it") !=
                 std::string::npos;
        }));
        EXPECT_THAT(chat->log(), HasSubstr("by 'probe.block'"));
        const auto report = chat->json("/inspect");
        EXPECT_GE(report["load"]["stalls"], 1);
        EXPECT_THAT(chat->get("/metrics").body,
                    HasSubstr("starbus_node_rpc_calls_total{method=\"probe.block\"} 1"));
        EXPECT_EQ(chat->terminate(10s), 0);
      },
      60s);
}

TEST_F(NodesTest, WhileItDrainsItIsSeenAndNothingIsRoutedToIt) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("b", "observer"))};
        CO_TRUE(co_await begin(observer));
        rpc::Endpoint& endpoint = observer.endpoint;
        const auto chat = node("a", "chat-1", "chat", "offer = 'service/chat'\ndrain_never = true");
        chat->start();
        CO_TRUE(co_await until(10s, [&] { return is_ready("a.chat-1"); }));
        CO_TRUE(co_await rpc::call<&Probe::where>(endpoint, "service/chat", {}));

        chat->process().signal(SIGTERM);
        CO_TRUE(co_await until(10s, [&] { return !is_ready("a.chat-1"); }));
        const auto where = co_await rpc::call<&Probe::where>(endpoint, "service/chat#1", {});
        EXPECT_FALSE(where);
        const auto report =
            co_await rpc::call<&nodes::NodeControl::report>(endpoint, "node/a.chat-1", {});
        EXPECT_TRUE(report && report->state == nodes::NodeState::draining);
        EXPECT_EQ(chat->get("/healthz").status, 503);
        EXPECT_FALSE(chat->process().ended());
      },
      60s);
}

TEST_F(NodesTest, ADrainThatDoesNotEndSaysWhoBlocks) {
  const auto slow = node("a", "slow", "chat", "drain_never = true\ndrain_deadline = '500ms'");
  const auto impatient = node("a", "impatient", "chat", "drain_never = true");
  const auto stuck = node("a", "stuck", "chat", "drain_blocks = true\ndrain_deadline = '500ms'");
  for (const auto* each : {&slow, &impatient, &stuck}) (*each)->start();
  for (const auto* each : {&slow, &impatient, &stuck}) {
    ASSERT_TRUE(wait_for(10s, [&] { return (*each)->serves(); }));
    (*each)->process().signal(SIGTERM);
  }
  EXPECT_EQ(slow->process().wait(10s), 3);
  EXPECT_THAT(slow->log(), HasSubstr("the drain did not end within 500 ms: draining, drains: "
                                     "step 'last words', 2 of 2"));
  EXPECT_EQ(stuck->process().wait(10s), 3);
  EXPECT_THAT(
      stuck->log(),
      HasSubstr("the stop did not end in time, and the loop is blocked by 'step last words'"));
  ASSERT_TRUE(wait_for(10s, [&] {
    return impatient->get("/healthz").body.find("last words") != std::string::npos;
  }));
  impatient->process().signal(SIGTERM);
  EXPECT_EQ(impatient->process().wait(10s), 128 + SIGTERM);
  EXPECT_THAT(impatient->log(),
              HasSubstr("SIGTERM while stopping: ends at once; it was: draining"));
}

TEST_F(NodesTest, MistakesEndTheProcessAtItsStart) {
  const auto unknown_key = node("a", "unknown", "chat", "ofer = 'service/chat'");
  const auto bad_need = node("a", "need", "chat", "needs = ['db']");
  const auto bad_offer = node("a", "offer", "chat", "offer = 'chat'");
  for (const auto* each : {&unknown_key, &bad_need, &bad_offer}) (*each)->start();
  EXPECT_EQ(unknown_key->process().wait(10s), 2);
  EXPECT_THAT(unknown_key->log(), HasSubstr("unknown key 'ofer'; did you mean 'offer'?"));
  EXPECT_EQ(bad_need->process().wait(10s), 2);
  EXPECT_THAT(bad_need->log(), HasSubstr("'needs': 'db': "));
  EXPECT_EQ(bad_offer->process().wait(10s), 1);
  EXPECT_THAT(bad_offer->log(), HasSubstr("cannot start: bad_name"));
}

}  // namespace
}  // namespace starbus::cluster_test
