#include "nodes/runtime/steps.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace starbus::nodes {
namespace {

using bus::Errc;
using ::testing::ElementsAre;

class StepsTest : public ::testing::Test {
 protected:
  void add_quick(const std::string& name, bus::Result<> result = {}) {
    ASSERT_TRUE(steps.add(name, [this, name, result](const Done& done) {
      ran.push_back(name);
      done(result);
    }));
  }
  /// Ends when the test calls waiting[...].
  void add_slow(const std::string& name) {
    ASSERT_TRUE(steps.add(name, [this, name](Done done) {
      ran.push_back(name);
      waiting.push_back(std::move(done));
    }));
  }
  void run(Steps::Order order = Steps::Order::as_added,
           Steps::OnError on_error = Steps::OnError::stop) {
    steps.run(
        order, on_error,
        [this](const std::string& name, const bus::Error&) { ran.push_back(name + " failed"); },
        [this](const bus::Result<>& result) { ran.push_back(result ? "done" : "error"); });
  }

  Steps steps;
  std::vector<std::string> ran;
  std::vector<Done> waiting;
};

TEST_F(StepsTest, RunOneAfterTheOtherInEitherOrder) {
  add_quick("a");
  add_slow("b");
  add_quick("c");
  run();
  EXPECT_THAT(ran, ElementsAre("a", "b"));
  EXPECT_EQ(steps.current(), "'b', 2 of 3");
  waiting.at(0)({});
  EXPECT_THAT(ran, ElementsAre("a", "b", "c", "done"));
  EXPECT_EQ(steps.current(), "");
  ran.clear();
  run(Steps::Order::reversed);
  waiting.at(1)({});
  EXPECT_THAT(ran, ElementsAre("c", "b", "a", "done"));
}

TEST_F(StepsTest, WithoutStepsARunIsDoneAtOnce) {
  run();
  EXPECT_THAT(ran, ElementsAre("done"));
}

TEST_F(StepsTest, AnErrorStopsARunOrIsTold) {
  add_quick("a");
  add_quick("b", Errc::io_error);
  add_quick("c");
  run();
  EXPECT_THAT(ran, ElementsAre("a", "b", "b failed", "error"));
  ran.clear();
  run(Steps::Order::as_added, Steps::OnError::go_on);
  EXPECT_THAT(ran, ElementsAre("a", "b", "b failed", "c", "done"));
}

TEST_F(StepsTest, AStepThatIsDoneTwiceHasBeenDoneOnce) {
  add_slow("a");
  add_slow("b");
  run();
  waiting.at(0)({});
  waiting.at(0)({});
  EXPECT_THAT(ran, ElementsAre("a", "b"));
  waiting.at(1)({});
  waiting.at(0)(Errc::io_error);
  EXPECT_THAT(ran, ElementsAre("a", "b", "done"));
}

TEST_F(StepsTest, WhatWasGivenUpEndsWithoutAWord) {
  add_slow("a");
  add_quick("b");
  run();
  steps.give_up();
  waiting.at(0)({});
  EXPECT_THAT(ran, ElementsAre("a"));
  run();  // anew
  waiting.at(0)({});
  EXPECT_THAT(ran, ElementsAre("a", "a")) << "the answer was to the run before";
  waiting.at(1)({});
  EXPECT_THAT(ran, ElementsAre("a", "a", "b", "done"));
}

TEST_F(StepsTest, AnAnswerMayComeWhenTheStepsAreGone) {
  Done late;
  {
    Steps gone;
    ASSERT_TRUE(gone.add("a", [&](Done done) { late = std::move(done); }));
    gone.run(
        Steps::Order::as_added, Steps::OnError::stop, [](const auto&, const auto&) { FAIL(); },
        [](const bus::Result<>&) { FAIL(); });
  }
  late({});
}

TEST_F(StepsTest, NamesAndNumbersAreBounded) {
  EXPECT_EQ(steps.add("", [](const Done&) {}).error(), Errc::bad_name);
  EXPECT_EQ(steps.add(std::string(kMaxStepName + 1, 'x'), [](const Done&) {}).error(),
            Errc::bad_name);
  for (std::size_t i = 0; i < kMaxSteps; ++i) add_quick(std::to_string(i));
  EXPECT_EQ(steps.add("one more", [](const Done&) {}).error(), Errc::bad_config);
  EXPECT_EQ(steps.size(), kMaxSteps);
}

}  // namespace
}  // namespace starbus::nodes
