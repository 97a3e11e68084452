/// A whole node in this process, on a thread of its own cluster: what needs a lease that is short.
#include "nodes/runtime/node.hpp"

#include <algorithm>

#include "tests/nodes/runtime/node_fixture.hpp"

namespace starbus::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(NodeTest, ALostLeaseTakesTheNodeTheWholeWayOnceMore) {
  ClusterThread cluster(2s);
  std::vector<std::string> states;
  int prepared = 0;
  const int exit_code = run(cluster.endpoint(), [&](Node& node) {
    cluster.begin();
    node.offer("entity/treasure", bus::Handlers{});
    node.before_ready("load", [&](const Done& done) {
      ++prepared;
      done({});
    });
    node.on_state([&](NodeState state) {
      states.emplace_back(name_of(state));
      if (state == NodeState::ready && prepared == 1) cluster.crash_root();
      if (state == NodeState::starting) cluster.start_root();
      if (state == NodeState::ready && prepared == 2) node.stop();
    });
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitOk) << log();
  EXPECT_THAT(states, ElementsAre("registered", "ready", "starting", "registered", "ready",
                                  "draining", "stopped"));
  EXPECT_EQ(prepared, 2);
  EXPECT_THAT(log(), HasSubstr("the lease is lost: no contact with busroot for its length"));
}

TEST_F(NodeTest, ThePrintedSchemaNeedsNeitherFileNorBus) {
  const std::vector<const char*> arguments = {"node", "--schema", "--config", "/nowhere.toml"};
  bool started = false;
  ::testing::internal::CaptureStdout();
  const int exit_code =
      run_node({.role = "test", .version = "7"}, std::make_unique<ScriptedApp>([&](Node&) {
                 started = true;
                 return bus::Result<>();
               }),
               static_cast<int>(arguments.size()), arguments.data());
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(exit_code, daemon::kExitOk);
  EXPECT_FALSE(started);
  EXPECT_EQ(printed.substr(0, 15), "{\n  \"form\": 1,\n") << printed;
  EXPECT_THAT(printed, HasSubstr("\"version\": \"7\""));
  EXPECT_THAT(printed, HasSubstr("\"callers\": "));
}

TEST_F(NodeTest, FailedStepBeforeReadinessDrainsAndExits) {
  ClusterThread cluster(30s);
  bool drained = false;
  const int exit_code = run(cluster.endpoint(), [&](Node& node) {
    cluster.begin();
    node.before_ready(
        "load", [](const Done& done) { done(bus::Error(bus::Errc::io_error, "no such table")); });
    node.on_drain("close", [&](const Done& done) {
      drained = true;
      done({});
    });
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitFailure);
  EXPECT_TRUE(drained);
  EXPECT_THAT(log(), HasSubstr("'load' failed before readiness: io_error: no such table"));
}

TEST_F(NodeTest, StopFromAnotherThreadFinishesTasks) {
  ClusterThread cluster(30s);
  bool saved = false;
  std::thread stopper;
  const int exit_code = run(cluster.endpoint(), [&](Node& node) {
    cluster.begin();
    node.on_state([&](NodeState state) {
      // It may still be within stop().
      if (state == NodeState::draining && stopper.joinable()) stopper.join();
      if (state != NodeState::ready) return;
      const auto submitted = node.tasks().submit(
          "disk", [] { std::this_thread::sleep_for(50ms); },
          [&](const bus::Result<>& result) { saved = result.has_value(); });
      EXPECT_TRUE(submitted);
      stopper = std::thread([&node] { node.stop(); });
    });
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitOk);
  EXPECT_TRUE(saved);
}

TEST_F(NodeTest, LeavingWithoutBusdWaitsAndLosesNothing) {
  ClusterThread cluster(30s);
  cluster.listen("entity/peer");
  const int exit_code = run(
      cluster.endpoint(),
      [&](Node& node) {
        cluster.begin();
        node.require("entity/peer");
        node.on_state([&](NodeState state) {
          if (state != NodeState::ready) return;
          cluster.take_busd_away(4s);
          EXPECT_TRUE(node.bus().send("entity/peer", "the last word"));
          node.stop();
        });
        return bus::Result<>();
      },
      "leave_deadline = '3s'\n");
  EXPECT_EQ(exit_code, daemon::kExitOk) << log();
  EXPECT_EQ(cluster.heard(), 1) << log();
  EXPECT_THAT(log(), ::testing::Not(HasSubstr("leaves the bus")));
}

TEST_F(NodeTest, ADrainBeforeItIsOnTheBusEndsToo) {
  const int exit_code = run("unix:///nobody/listens/here", [](Node& node) {
    node.stop();
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitOk) << log();
}

TEST_F(NodeTest, UnmetRequirementsEndTheNodeAtItsDeadline) {
  ClusterThread cluster(30s);
  std::vector<std::string> states;
  const int exit_code = run(
      cluster.endpoint(),
      [&](Node& node) {
        cluster.begin();
        node.require("ready/manager/");
        node.offer("entity/treasure", bus::Handlers{});
        node.on_drain("close", [&](const Done& done) {
          states.emplace_back("closed");
          done({});
        });
        node.on_state([&](NodeState state) { states.emplace_back(name_of(state)); });
        return bus::Result<>();
      },
      "ready_deadline = '3s'\n");
  EXPECT_EQ(exit_code, daemon::kExitFailure) << log();
  // How far it had come by then is up to the machine; what it needs is not there at any point.
  states.erase(states.begin(), std::ranges::find(states, "draining"));
  EXPECT_THAT(states, ElementsAre("draining", "closed", "stopped"));
  EXPECT_THAT(log(), HasSubstr("stops: deadline: not ready within 3000 ms: "));
  EXPECT_THAT(log(), HasSubstr(": ready/manager/ (0 of 1)\n"));
}

TEST_F(NodeTest, WhoWaitsSaysForWhat) {
  ClusterThread cluster(30s);
  const std::string wanted = "info    test: waits for its requirements: ready/manager/ (0 of 2)\n";
  std::thread reader;
  const int exit_code = run(cluster.endpoint(), [&](Node& node) {
    cluster.begin();
    node.require("ready/manager/", 2);
    node.on_state([&](NodeState state) {  // it may still be within stop()
      if (state == NodeState::draining) reader.join();
    });
    reader = std::thread([&wanted, &node, this] {
      for (int i = 0; i < 600 && log().find(wanted) == std::string::npos; ++i) {
        std::this_thread::sleep_for(50ms);
      }
      node.stop();
    });
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitOk) << log();
  EXPECT_THAT(log(), HasSubstr(wanted));
}

TEST_F(NodeTest, WhoFindsNoBusdEndsAtItsDeadlineToo) {
  const auto nothing = [](Node&) { return bus::Result<>(); };
  EXPECT_EQ(run("unix:///nobody/listens/here", nothing, "ready_deadline = '200ms'\n"),
            daemon::kExitFailure);
  EXPECT_THAT(log(), HasSubstr("not ready within 200 ms: starting, connects"));
}

// While it is ready no time runs; when it has lost its lease, all of it runs once more.
TEST_F(NodeTest, TheDeadlineCountsWhileItIsNotReady) {
  ClusterThread cluster(6s);
  std::vector<std::string> states;
  std::chrono::steady_clock::time_point lost;
  const int exit_code = run(
      cluster.endpoint(),
      [&](Node& node) {
        cluster.begin();
        node.on_state([&](NodeState state) {
          states.emplace_back(name_of(state));
          if (state == NodeState::ready) cluster.crash_root();
          if (state == NodeState::starting) lost = std::chrono::steady_clock::now();
          if (state == NodeState::draining) {
            EXPECT_GE(std::chrono::steady_clock::now() - lost, 4900ms);
          }
        });
        return bus::Result<>();
      },
      "ready_deadline = '5s'\n");
  EXPECT_EQ(exit_code, daemon::kExitFailure) << log();
  EXPECT_THAT(states, ElementsAre("registered", "ready", "starting", "draining", "stopped"));
  EXPECT_THAT(log(), HasSubstr("not ready within 5000 ms: starting, connects"));
}

TEST_F(NodeTest, AMistakeInTheStartIsNamed) {
  const int exit_code = run("unix:///nobody/listens/here", [](Node& node) {
    node.offer("entity/7", bus::Handlers{});
    node.offer("entity/7", bus::Handlers{});
    return bus::Result<>();
  });
  EXPECT_EQ(exit_code, daemon::kExitFailure);
  EXPECT_THAT(log(), HasSubstr("cannot start: bad_config: entity/7 is offered twice"));
}

TEST_F(NodeTest, ARoleIsPartOfANameOfTheBus) {
  for (const std::string& role : {std::string("a/b"), std::string(), std::string(41, 'x')}) {
    auto app = std::make_unique<ScriptedApp>([](Node&) { return bus::Result<>(); });
    EXPECT_EQ(run_node({.role = role, .program = "test"}, std::move(app), 0, nullptr),
              daemon::kExitUsage);
  }
}

}  // namespace
}  // namespace starbus::nodes
