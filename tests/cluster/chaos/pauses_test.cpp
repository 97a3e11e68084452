// A daemon or a node that stands still for a while and goes on: a pause, and nothing else.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

class ChaosPauses : public ::testing::TestWithParam<std::string> {};

TEST_P(ChaosPauses, LoseDoubleAndReorderNothing) {
  // The long one is longer than the link timeout, and shorter than the lease.
  const std::chrono::milliseconds pause = long_runs() ? 15s : 5s;
  ChaosRun run({.messages = long_runs() ? 1'000'000U : 40'000U, .span = pause + 2s});
  run.start();
  run.sleep_until(500ms);
  if (GetParam() == "node") {
    run.pause_node(4, pause);
  } else {
    run.pause_daemon(GetParam(), pause);
  }
  EXPECT_TRUE(run.settle(20s));
  const Verdict verdict = judge(run.board());
  std::cout << verdict.to_string() << std::endl;
  EXPECT_TRUE(verdict.sound()) << verdict.to_string();
  EXPECT_EQ(verdict.handled, verdict.sent);
  EXPECT_TRUE(verdict.failures.empty()) << verdict.to_string();
}

INSTANTIATE_TEST_SUITE_P(Of, ChaosPauses, ::testing::Values("a", "root", "node"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace starbus::cluster_test
