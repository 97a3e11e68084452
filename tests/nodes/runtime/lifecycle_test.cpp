/// The states of a node: the usual way, what may go wrong on it, and, with random events, what
/// holds whatever happens.
#include "nodes/runtime/lifecycle.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

using bus::Errc;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Writes down what is asked for.
class Script final : public Lifecycle::Shell {
 public:
  void announce(Lifecycle::Attempt at) override { ask("announce", at); }
  void prepare(Lifecycle::Attempt at) override { ask("prepare", at); }
  void open(Lifecycle::Attempt at) override {
    opened = true;
    ask("open", at);
  }
  void withdraw() override {
    opened = false;
    asked.emplace_back("withdraw");
  }
  void drain() override { asked.emplace_back("drain"); }
  void leave() override { asked.emplace_back("leave"); }
  void entered(NodeState state) override { states.emplace_back(name_of(state)); }
  void retry_later(Lifecycle::Attempt at) override { ask("retry", at); }
  void failed(const bus::Error& reason) override {
    asked.push_back("failed: " + std::string(name_of(reason.code)));
  }
  std::vector<std::string> take() { return std::exchange(asked, {}); }

  std::vector<std::string> asked;
  std::vector<std::string> states;
  Lifecycle::Attempt attempt = 0;  // of the latest request
  bool opened = false;             // names are, or may be, bound

 private:
  void ask(const char* what, Lifecycle::Attempt at) {
    asked.emplace_back(what);
    attempt = at;
  }
};

class LifecycleTest : public ::testing::Test {
 protected:
  void become_ready() {
    node.needs(true);
    node.start();
    node.announced(script.attempt, {});
    node.prepared(script.attempt, {});
    node.opened(script.attempt, {});
    ASSERT_EQ(node.state(), NodeState::ready);
    script.take();
  }
  Script script;
  Lifecycle node{script};
};

TEST_F(LifecycleTest, GoesFromStartToStopInOrder) {
  node.start();
  EXPECT_THAT(script.take(), ElementsAre("announce"));
  node.announced(script.attempt, {});
  EXPECT_THAT(script.take(), IsEmpty()) << "its requirements are not met";
  node.needs(true);
  EXPECT_THAT(script.take(), ElementsAre("prepare"));
  node.prepared(script.attempt, {});
  EXPECT_THAT(script.take(), ElementsAre("open"));
  node.opened(script.attempt, {});
  node.stop();
  EXPECT_THAT(script.take(), ElementsAre("withdraw", "drain"));
  node.drained();
  EXPECT_THAT(script.take(), ElementsAre("leave"));
  node.left();
  EXPECT_THAT(script.states, ElementsAre("registered", "ready", "draining", "stopped"));
}

TEST_F(LifecycleTest, LostRequirementDelaysBinding) {
  node.needs(true);
  node.start();
  node.announced(script.attempt, {});
  node.needs(false);
  node.prepared(script.attempt, {});
  EXPECT_THAT(script.take(), ElementsAre("announce", "prepare"));
  node.needs(true);
  EXPECT_THAT(script.take(), ElementsAre("open")) << "what is prepared stays so";
}

TEST_F(LifecycleTest, ARequirementThatGoesLaterChangesNothing) {
  become_ready();
  node.needs(false);
  node.needs(true);
  EXPECT_EQ(node.state(), NodeState::ready);
  EXPECT_THAT(script.take(), IsEmpty());
}

TEST_F(LifecycleTest, RetriesTemporaryErrorsAndEndsOnOthers) {
  node.needs(true);
  node.start();
  node.announced(script.attempt, Errc::already_bound);
  EXPECT_THAT(script.take(), ElementsAre("announce", "retry"));
  node.retry(script.attempt);
  EXPECT_THAT(script.take(), ElementsAre("announce"));
  node.announced(script.attempt, {});
  node.prepared(script.attempt, {});
  node.opened(script.attempt, Errc::denied);
  EXPECT_THAT(script.take(), ElementsAre("prepare", "open", "failed: denied"));
}

TEST_F(LifecycleTest, AFailedStepEndsTheNodeWhateverItsError) {
  node.needs(true);
  node.start();
  node.announced(script.attempt, {});
  node.prepared(script.attempt, Errc::deadline);
  EXPECT_THAT(script.take(), ElementsAre("announce", "prepare", "failed: deadline"));
}

TEST_F(LifecycleTest, ALostLeaseBeginsAnewAndPreparesAgain) {
  become_ready();
  const Lifecycle::Attempt before = script.attempt;
  node.lease_lost();
  EXPECT_EQ(node.state(), NodeState::starting);
  EXPECT_THAT(script.take(), ElementsAre("announce"));
  node.announced(before, {});
  EXPECT_THAT(script.take(), IsEmpty()) << "an answer to the earlier attempt";
  node.announced(script.attempt, {});
  EXPECT_THAT(script.take(), ElementsAre("prepare"));
}

TEST_F(LifecycleTest, ALostLeaseWhileItBindsIsNoFailure) {
  node.needs(true);
  node.start();
  node.announced(script.attempt, {});
  node.prepared(script.attempt, {});
  node.opened(script.attempt, Errc::lease_lost);  // the bus says this first
  EXPECT_THAT(script.take(), ElementsAre("announce", "prepare", "open"));
  node.lease_lost();
  EXPECT_THAT(script.take(), ElementsAre("announce"));
}

TEST_F(LifecycleTest, AStopIsTakenAtAnyTimeAndOnce) {
  node.start();
  node.stop();
  node.stop();
  EXPECT_THAT(script.take(), ElementsAre("announce", "withdraw", "drain"));
  node.announced(script.attempt, {});
  node.lease_lost();
  node.needs(true);
  EXPECT_EQ(node.state(), NodeState::draining);
  node.drained();
  node.drained();
  EXPECT_THAT(script.take(), ElementsAre("leave"));
}

/// Any events, in any order, with answers to any attempt.
RC_GTEST_PROP(LifecycleProperty, HoldsItsPromisesWhateverHappens, ()) {
  Script script;
  Lifecycle node(script);
  bool met = false;
  bool stopped = false;
  const auto result = [] {
    const auto code =
        *rc::gen::element(Errc::ok, Errc::already_bound, Errc::denied, Errc::lease_lost);
    return code == Errc::ok ? bus::Result<>() : bus::Result<>(code);
  };
  for (int i = 0; i < 60; ++i) {
    const std::size_t states_before = script.states.size();
    const NodeState before = node.state();
    // Mostly an answer to what was asked for last, sometimes to something earlier.
    const Lifecycle::Attempt attempt = script.attempt - (*rc::gen::inRange(0, 4) == 0 ? 1 : 0);
    switch (*rc::gen::inRange(0, 11)) {
      case 0:
        node.start();
        break;
      case 1:
        node.announced(attempt, result());
        break;
      case 2:
        node.prepared(attempt, result());
        break;
      case 3:
        node.opened(attempt, result());
        break;
      case 4:
        node.retry(attempt);
        break;
      case 5:
        node.needs(met = true);
        break;
      case 6:
        node.needs(met = false);
        break;
      case 7:
        node.lease_lost();
        break;
      case 8:
        if (*rc::gen::inRange(0, 4) == 0) {
          node.stop();
          stopped = true;
        }
        break;
      case 9:
        node.drained();
        break;
      case 10:
        node.left();
        break;
      default:
        break;
    }
    RC_ASSERT(script.states.size() <= states_before + 1);
    // Ready only by way of its names, and from registered.
    if (node.state() == NodeState::ready) {
      RC_ASSERT(script.opened);
      RC_ASSERT(before == NodeState::ready || before == NodeState::registered);
    }
    // What drains never comes back, and has given up its names.
    RC_ASSERT(stopped == (node.state() >= NodeState::draining));
    if (stopped) RC_ASSERT(!script.opened);
  }
  const auto asks = [&](const char* what) { return std::ranges::count(script.asked, what); };
  RC_ASSERT(asks("drain") == (stopped ? 1 : 0));
  RC_ASSERT(asks("withdraw") == asks("drain"));
  RC_ASSERT(asks("leave") <= 1);
}

}  // namespace
}  // namespace starbus::nodes
