/// What code of a program throws in a node: logged by name and rate, counted by kind, and the rest
/// goes on, or the process ends, as its configuration says.
#include "nodes/runtime/thrown_units.hpp"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <stdexcept>
#include <utility>

#include "nodes/runtime/node_control.hpp"
#include "tests/nodes/runtime/node_fixture.hpp"

namespace starbus::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

int bugs = 0;

void bug() {
  ++bugs;
  throw std::runtime_error("no gold");
}

class ThrownUnitsTest : public ::testing::Test {
 protected:
  LogCapture log;
  daemon::RateLimited limited;
  int ends = 0;
  std::string running;
};

TEST_F(ThrownUnitsTest, AUnitIsLoggedByNameAndCountedByKind) {
  ThrownUnits thrown(
      limited, OnException::go_on, [this] { return running; }, [this] { ++ends; });
  guarded(UnitKind::timer, "Monster::init", bug);
  EXPECT_THAT(log.text(), HasSubstr("error: timer 'Monster::init' threw: no gold"));
  running = "chat.say";
  guarded(UnitKind::handler, "", bug);
  EXPECT_THAT(log.text(), HasSubstr("error: handler 'chat.say' threw: no gold"));
  running.clear();
  guarded(UnitKind::handler, "", bug);
  EXPECT_THAT(log.text(), HasSubstr("handler 'a handler without a name' threw"));
  EXPECT_EQ(thrown.of(UnitKind::timer), 1u);
  EXPECT_EQ(thrown.of(UnitKind::handler), 2u);
  EXPECT_EQ(thrown.of(UnitKind::closure), 0u);
  EXPECT_EQ(thrown.total(), 3u);
  EXPECT_EQ(ends, 0);
}

TEST_F(ThrownUnitsTest, EachPlaceHasABudgetOfLinesAndAllAreCounted) {
  ThrownUnits thrown(limited, OnException::go_on, nullptr);
  for (int i = 0; i < 1000; ++i) guarded(UnitKind::timer, "a", bug);
  guarded(UnitKind::timer, "b", bug);
  EXPECT_EQ(thrown.total(), 1001u);
  const auto lines = daemon::test::lines_of(log.text());
  EXPECT_EQ(lines.size(), 6u) << "five of one, and the first of another";
  EXPECT_THAT(lines.back(), HasSubstr("timer 'b' threw"));
  limited.sweep(daemon::RateLimited::Clock::now() + 10s);
  EXPECT_THAT(log.text(), HasSubstr("timer 'a' threw: 995 more lines in 10 s were suppressed"));
}

TEST_F(ThrownUnitsTest, LongNamesAndTextsAreCut) {
  const ThrownUnits thrown(limited, OnException::go_on, nullptr);
  guarded(UnitKind::timer, std::string(10'000, 'n'),
          [] { throw std::runtime_error(std::string(10'000, 'w')); });
  EXPECT_LT(log.text().size(), 1'000u);
}

TEST_F(ThrownUnitsTest, StopEndsTheProcessAtTheFirst) {
  const ThrownUnits thrown(limited, OnException::stop, nullptr, [this] { ++ends; });
  guarded(UnitKind::tick, "tick walk", bug);
  EXPECT_EQ(ends, 1);
  EXPECT_THAT(log.text(), HasSubstr("critical: tick 'tick walk' threw: no gold; ends at once"));
}

// --- a whole node --------------------------------------------------------------------------------

class Thrower : public entity::rpc::Callable<Thrower> {
 public:
  explicit Thrower(Node& node) : node_(node) {}
  void hit(entity::rpc::Caller&) { bug(); }
  int ask(entity::rpc::Caller&) { return 7; }
  entity::rpc::Task<> later() {
    bug();
    co_return;
  }
  void spawn() { EXPECT_TRUE(entity::rpc::spawn(node_.rpc(), *this, later())); }
  static constexpr auto kRpc =
      entity::rpc::methods("thrower", entity::rpc::method<&Thrower::hit>("hit"),
                           entity::rpc::method<&Thrower::ask>("ask"));

 private:
  Node& node_;
};

TEST_F(NodeTest, NothingThatAProgramThrowsEndsIt) {
  ClusterThread cluster(30s);
  std::unique_ptr<Thrower> object;
  entity::TimerOwner timers;
  entity::TickId tick;
  std::string metrics;
  std::string status;
  bool set_up = false;
  constexpr int kBugs = 11;  // until then
  int polls = 0;
  bugs = 0;
  const int exit_code = run(cluster.endpoint(), [&](Node& node) {
    cluster.begin();
    object = std::make_unique<Thrower>(node);
    node.offer("service/thrower", *object);
    node.on_drain("saves", [](const Done&) { bug(); });
    node.on_state([](NodeState) { bug(); });
    node.on_state([&](NodeState state) {  // told although the one before it has thrown
      if (state != NodeState::ready || std::exchange(set_up, true)) return;
      EXPECT_TRUE(node.post("closure", bug));
      EXPECT_TRUE(node.timers().after(timers, 1ms, bug));
      tick = *node.ticks().add({.name = "walk"}, [&](const entity::Tick&) {
        EXPECT_TRUE(node.ticks().schedule().remove(tick));
        bug();
      });
      EXPECT_TRUE(node.tasks().submit(
          "", [] { return 1; }, [](bus::Result<int>) { bug(); }));
      boost::asio::post(node.loop(), bug);  // past all of the runtime
      object->spawn();
      EXPECT_TRUE(entity::rpc::send<&Thrower::hit>(node.rpc(), "service/thrower", {}));
      entity::rpc::call<&Thrower::ask>(node.rpc(), "service/thrower",
                                       {})([](const auto&) { bug(); });
      node.bus().send_acknowledged("service/nobody", bus::Bytes(), {},
                                   [](const bus::Result<>&) { bug(); });
      EXPECT_TRUE(node.timers().every(timers, 5ms, 5ms, entity::CatchUp::once, [&] {
        if (bugs < kBugs && ++polls < 4'000) return;
        timers.cancel_all();
        metrics = node.process_context().metrics.text();
        entity::rpc::call<&NodeControl::report>(node.rpc(), presence_name(node.process()),
                                                {})([&](const auto& report) {
          EXPECT_TRUE(report);
          status = report ? report->status : "";
          node.stop();
        });
      }));
    });
    return bus::Result<>();
  });
  object.reset();
  EXPECT_EQ(exit_code, daemon::kExitOk) << log();
  const auto counted = [&](const std::string& kind, int number) {
    return HasSubstr("starbus_node_exceptions_total{kind=\"" + kind + "\"} " +
                     std::to_string(number));
  };
  for (const char* once : {"timer", "tick", "handler", "coroutine", "method"}) {
    EXPECT_THAT(metrics, counted(once, 1));
  }
  EXPECT_THAT(metrics, counted("closure", 2)) << "one is the completion of the task";
  EXPECT_THAT(metrics, counted("completion", 2)) << "of the call, and of the message";
  EXPECT_THAT(metrics, counted("state", 2)) << "registered, ready";
  EXPECT_THAT(metrics, counted("hook", 0));
  EXPECT_THAT(metrics, HasSubstr("starbus_node_rpc_exceptions_total{method=\"thrower.hit\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("starbus_node_rpc_exceptions_total{method=\"thrower.ask\"} 0"));
  EXPECT_EQ(status, "ready, serves, 11 exceptions, most in thrower.hit");
  for (const char* named :
       {"closure 'closure' threw: no gold", "tick 'tick walk' threw", "method 'thrower.hit' threw",
        "coroutine 'coroutine of thrower' threw", "completion 'answer of thrower.ask' threw",
        "handler 'a handler without a name' threw", "step 'step saves' threw",
        "'saves' failed in the drain: handler_failed"}) {
    EXPECT_THAT(log(), HasSubstr(named));
  }
}

TEST_F(NodeTest, AProgramWhoseStartThrowsDoesNotStart) {
  EXPECT_EQ(run("unix:///nowhere",
                [](Node&) -> bus::Result<> {
                  bug();
                  return {};
                }),
            daemon::kExitFailure);
  EXPECT_THAT(log(), HasSubstr("program 'start' threw: no gold"));
  EXPECT_THAT(log(), HasSubstr("cannot start: handler_failed"));
}

TEST_F(NodeTest, AStepBeforeReadinessThatThrowsHasFailed) {
  ClusterThread cluster(30s);
  EXPECT_EQ(run(cluster.endpoint(),
                [&](Node& node) {
                  cluster.begin();
                  node.before_ready("load", [](const Done&) { bug(); });
                  return bus::Result<>();
                }),
            daemon::kExitFailure);
  EXPECT_THAT(log(), HasSubstr("'load' failed before readiness: handler_failed: the step threw"));
}

using NodeDeathTest = NodeTest;

TEST_F(NodeDeathTest, OnExceptionStopEndsTheProcessWithoutADrain) {
  const auto run_it = [&] {
    run(
        "unix:///nowhere",
        [](Node& node) {
          node.on_drain("saves", [](const Done&) { spdlog::error("it drains"); });
          EXPECT_TRUE(node.post("closure", bug));
          return bus::Result<>();
        },
        "loop.on_exception = 'stop'\n");
  };
  EXPECT_EXIT(run_it(), ::testing::ExitedWithCode(daemon::kExitFailure), "");
  EXPECT_THAT(log(), HasSubstr("closure 'closure' threw: no gold; ends at once"));
  EXPECT_THAT(log(), Not(HasSubstr("it drains")));
}

TEST_F(NodeTest, AnUnknownPolicyIsAMistakeInTheConfiguration) {
  EXPECT_EQ(run(
                "unix:///nowhere", [](Node&) { return bus::Result<>(); },
                "loop.on_exception = 'ignore'\n"),
            daemon::kExitUsage);
}

}  // namespace
}  // namespace starbus::nodes
