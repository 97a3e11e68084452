/// Tasks that wait for others, with real threads: every edge holds, failures go on, nothing hangs.
#include "nodes/runtime/tasks/task_graph.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes {
namespace {

using namespace std::chrono_literals;
using bus::Errc;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TaskGraphTest : public ::testing::Test {
 protected:
  /// Notes what its completion is told.
  TaskGraph::Id add(const std::string& name, const std::vector<TaskGraph::Id>& after = {},
                    bool throws = false) {
    return graph
        ->add(
            after, "",
            [this, throws] {
              ++ran;
              if (throws) throw std::runtime_error("no such file");
              return 7;
            },
            [this, name](bus::Result<int> result) {
              told.push_back(name + (result ? "" : ": " + result.error().to_string()));
            })
        .value();
  }
  bool run() {
    return loop.run_until([this] { return graph->counts().remaining() == 0; });
  }
  test::Loop loop;
  TaskChannels tasks{loop, {.workers = 8}};
  std::unique_ptr<TaskGraph> graph = std::make_unique<TaskGraph>(tasks);
  std::atomic<int> ran{0};
  std::vector<std::string> told;
};

TEST_F(TaskGraphTest, ARandomGraphRespectsEveryEdge) {
  constexpr std::size_t kTasks = 1'000;
  std::mt19937 random(7);  // NOLINT: the same graph each time
  // Written by workers and by the loop: tsan would see an edge that is none.
  std::vector<int> results(kTasks, 0);
  std::vector<TaskGraph::Id> ids;
  std::atomic<bool> wrong{false};
  std::size_t completions = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    std::vector<TaskGraph::Id> after;
    std::vector<std::size_t> before;
    for (std::size_t k = 0; i > 0 && k < random() % 5; ++k) {
      before.push_back(random() % i);
      after.push_back(ids[before.back()]);
    }
    ids.push_back(graph
                      ->add(
                          after, i % 3 == 0 ? "disk" : "",
                          [&results, &wrong, before] {
                            for (const std::size_t other : before) {
                              if (results[other] == 0) wrong = true;
                            }
                            return 1;
                          },
                          [&results, &completions, i](bus::Result<int> result) {
                            results[i] = *result;
                            ++completions;
                          })
                      .value());
  }
  std::size_t ends = 0;
  graph->when_done([&](const TaskGraph::Counts& counts) {
    ++ends;
    EXPECT_EQ(counts.succeeded, kTasks);
  });
  ASSERT_TRUE(run());
  EXPECT_FALSE(wrong);
  EXPECT_EQ(completions, kTasks);
  EXPECT_EQ(ends, 1u);
}

TEST_F(TaskGraphTest, WhatHasCompletedIsNotWaitedFor) {
  const auto first = add("first");
  ASSERT_TRUE(run());
  add("second", {first, first});
  ASSERT_TRUE(run());
  EXPECT_THAT(told, ElementsAre("first", "second"));
}

TEST_F(TaskGraphTest, FailureReachesDependentTasksOnly) {
  const auto bad = add("bad", {}, true);
  const auto left = add("left", {bad});
  const auto right = add("right", {bad, bad});
  add("both", {left, right});
  add("other");
  ASSERT_TRUE(run());
  EXPECT_EQ(ran, 2);
  EXPECT_THAT(told, ::testing::UnorderedElementsAre(HasSubstr("bad: handler_failed"),
                                                    HasSubstr("left: handler_failed"),
                                                    HasSubstr("right: handler_failed"),
                                                    HasSubstr("both: handler_failed"), "other"));
  for (const std::string& each : told) {
    if (each != "other") {
      EXPECT_THAT(each, HasSubstr("no such file"));
    }
  }
  EXPECT_EQ(graph->counts().failed, 4u);
  const auto behind = graph->add(
      {bad}, "", [] {}, [](bus::Result<>) { FAIL(); });
  EXPECT_EQ(behind.error().code, Errc::handler_failed);
  const auto unknown = graph->add(
      {{99}}, "", [] {}, [](bus::Result<>) { FAIL(); });
  EXPECT_EQ(unknown.error().code, Errc::handler_failed);
}

TEST_F(TaskGraphTest, NoMoreThanItMayAreWithTheWorkers) {
  graph = std::make_unique<TaskGraph>(tasks, TaskGraph::Options{.at_once = 2});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(graph->add(
        {}, "",
        [&] {
          const int now = ++inside;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::yield();
          --inside;
        },
        [](bus::Result<>) {}));
    EXPECT_LE(tasks.counts().unfinished(), 2u);
  }
  ASSERT_TRUE(run());
  EXPECT_LE(most, 2);
}

TEST_F(TaskGraphTest, CompletionsMayAddAndMayEndTheGraph) {
  bool ended = false;
  ASSERT_TRUE(graph->add(
      {}, "", [] {},
      [&](bus::Result<>) {
        const auto next = add("next");
        add("behind", {next});
        graph->when_done([&](const TaskGraph::Counts&) {
          ended = true;
          graph.reset();
        });
      }));
  ASSERT_TRUE(loop.run_until([&] { return ended; }));
  EXPECT_THAT(told, ElementsAre("next", "behind"));
  EXPECT_EQ(graph, nullptr);
}

TEST_F(TaskGraphTest, ItsEndDropsCompletionsAndWhatHasNotBegun) {
  const auto first = add("first");
  add("second", {first});
  graph.reset();
  EXPECT_TRUE(tasks.shutdown(10s).empty());
  loop.run_what_is_there();
  EXPECT_THAT(told, ElementsAre());
  EXPECT_LE(ran, 1);
}

TEST_F(TaskGraphTest, ANodeThatGoesDownEndsWhatWaits) {
  std::atomic<bool> go{false};
  const auto first = graph->add(
      {}, "",
      [&] {
        while (!go) std::this_thread::yield();
      },
      [](bus::Result<>) {});
  add("second", {*first});
  std::thread opener([&] {
    std::this_thread::sleep_for(20ms);
    go = true;
  });
  EXPECT_TRUE(tasks.shutdown(10s).empty());
  opener.join();
  loop.run_what_is_there();
  EXPECT_THAT(told, ElementsAre(HasSubstr("second: handler_failed")));
  EXPECT_EQ(graph->counts().remaining(), 0u);
}

TEST_F(TaskGraphTest, GraphsAreBounded) {
  std::vector<TaskGraph::Id> chain{add("head")};
  while (graph->counts().added < kMaxGraphTasks) {
    chain.push_back(graph
                        ->add(
                            {chain.back()}, "", [] {}, [](bus::Result<>) {})
                        .value());
  }
  const auto refused = graph->add(
      {}, "", [] {}, [](bus::Result<>) { FAIL(); });
  EXPECT_EQ(refused.error().code, Errc::would_block);
  EXPECT_EQ(graph
                ->add(
                    {}, std::string(300, 'x'), [] {}, [](bus::Result<>) {})
                .error()
                .code,
            Errc::would_block);
}

TEST_F(TaskGraphTest, ABadChannelIsRefusedAtOnceOrToldLater) {
  const std::string bad(kMaxChannelKey + 1, 'x');
  EXPECT_EQ(graph
                ->add(
                    {}, bad, [] {}, [](bus::Result<>) { FAIL(); })
                .error()
                .code,
            Errc::bad_name);
  EXPECT_EQ(graph->counts().added, 0u);
  std::vector<std::string> errors;
  const auto first = add("first");
  ASSERT_TRUE(graph->add(
      {first}, bad, [] {},
      [&](bus::Result<> result) { errors.push_back(result.error().to_string()); }));
  ASSERT_TRUE(run());
  EXPECT_THAT(errors, ElementsAre(HasSubstr("bad_name")));
}

}  // namespace
}  // namespace starbus::nodes
