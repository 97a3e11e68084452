/// Crowds beside the loop: ids, turns, limits, failures.
#include "nodes/nav/crowd_pool.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "nodes/nav/limits.hpp"
#include "tests/nodes/nav/field.hpp"

namespace starbus::nodes::crowds {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;
using test::add;
using test::go;
using test::spec;

class CrowdPoolTest : public ::testing::Test {
 protected:
  CrowdPoolTest() {
    folder.write("field.txt", test::square(40));
    begin(3);
  }
  void begin(std::size_t workers, CrowdWork::Clock clock = {}) {
    pool.reset();
    tasks.reset();
    tasks.emplace(loop, TaskOptions{.workers = workers});
    pool.emplace(*tasks, CrowdPoolOptions{folder.path(), std::move(clock)});
  }
  Result<CrowdId> create(const CrowdSpec& with = spec()) {
    std::optional<Result<CrowdId>> made;
    pool->create(with, [&](Result<CrowdId> result) { made = std::move(result); });
    EXPECT_TRUE(loop.run_until([&] { return made.has_value(); }));
    return *made;
  }
  static Batch batch(CrowdId crowd, std::vector<Request> requests = {}) {
    Batch batch;
    batch.crowd = crowd;
    batch.passed_us = 100'000;
    batch.requests = std::move(requests);
    return batch;
  }
  Result<Answer> step(CrowdId crowd, std::vector<Request> requests = {}) {
    std::optional<Result<Answer>> answer;
    pool->step(batch(crowd, std::move(requests)),
               [&](Result<Answer> result) { answer = std::move(result); });
    EXPECT_TRUE(loop.run_until([&] { return answer.has_value(); }));
    return *answer;
  }

  test::TempFolder folder;
  nodes::test::Loop loop;
  std::optional<TaskChannels> tasks;
  std::optional<CrowdPool> pool;
};

TEST_F(CrowdPoolTest, ThreeSpacesShareOneMapAndHaveCrowdsOfTheirOwn) {
  std::vector<CrowdId> made;
  for (int i = 0; i < 3; ++i) {
    pool->create(spec(), [&](Result<CrowdId> crowd) { made.push_back(crowd.value()); });
  }
  ASSERT_TRUE(loop.run_until([&] { return made.size() == 3; }));
  EXPECT_THAT(made, ElementsAre(CrowdId{1, 1}, CrowdId{2, 1}, CrowdId{3, 1}));
  EXPECT_EQ(pool->maps().loads(), 1u);
  EXPECT_EQ(pool->maps().maps(), 1u);
}

TEST_F(CrowdPoolTest, ADoorOfOneCrowdIsInNobodyElsesWay) {
  CrowdSpec with = spec();
  with.obstacles = 1;
  const CrowdId closed = create(with).value();
  const CrowdId open = create(with).value();
  const CrowdId shared = create().value();
  EXPECT_EQ(pool->maps().loads(), 3u);
  EXPECT_EQ(pool->maps().maps(), 1u) << "those of their own are nobody else's";
  EXPECT_EQ(pool->counts().own_maps, 2u);
  ASSERT_TRUE(step(closed, {Block{1, {{20, 0, 0}, {21, 40, 0}}}}));
  for (const CrowdId crowd : {closed, open, shared}) {
    const auto begun = step(crowd, {add(1, 5, 5), go(1, 1, 35, 5)});
    ASSERT_TRUE(begun);
    std::vector<Ended> ended = begun->ended;
    for (int i = 0; i < 200 && ended.empty(); ++i) ended = step(crowd)->ended;
    ASSERT_EQ(ended.size(), 1u);
    const auto end = crowd == closed ? nav::crowd::End::unreachable : nav::crowd::End::arrived;
    EXPECT_EQ(ended[0].end, end);
  }
  pool->destroy(closed);
  EXPECT_EQ(pool->counts().own_maps, 1u);
}

TEST_F(CrowdPoolTest, RefusesMoreThanKMaxOwnMaps) {
  CrowdSpec with = spec("field.txt", 1);
  with.obstacles = 1;
  for (std::uint64_t i = 0; i < kMaxOwnMaps; ++i) ASSERT_TRUE(create(with));
  const auto refused = create(with);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Errc::too_many);
  EXPECT_TRUE(create(spec("field.txt", 1))) << "those without obstacles";
}

TEST_F(CrowdPoolTest, AMissingMapIsToldAtOnce) {
  const auto made = create(spec("none.nav"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(), Errc::no_map);
}

TEST_F(CrowdPoolTest, FiftyWalkersAreOneAnswerOfFiftyRows) {
  const CrowdId crowd = create(spec("field.txt", 60)).value();
  std::vector<Request> requests;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    requests.push_back(
        add(i, 2 + static_cast<float>(i % 10) * 2, 2 + static_cast<float>(i / 10) * 2));
    requests.push_back(go(i, 1, 35, 35));
  }
  ASSERT_TRUE(step(crowd, std::move(requests)));
  const auto answer = step(crowd);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->moved.size(), 50u);
  EXPECT_EQ(pool->counts().batches, 2u);
  EXPECT_EQ(pool->counts().requests, 100u);
}

TEST_F(CrowdPoolTest, WhoLeavesMakesRoomAgain) {
  const CrowdId crowd = create(spec("field.txt", 1)).value();
  for (std::uint32_t generation = 1; generation <= 5; ++generation) {
    const WalkerName name{1, generation};
    const auto answer = step(crowd, {Add{.walker = name, .at = {5, 5, 0}}, Remove{name}});
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->refused.empty()) << "in generation " << generation;
  }
}

TEST_F(CrowdPoolTest, ASecondBatchAtATimeIsRefused) {
  const CrowdId crowd = create().value();
  std::vector<Error> ends;
  const auto keep = [&](const Result<Answer>& answer) { ends.push_back(answer.error()); };
  pool->step(batch(crowd), keep);
  pool->step(batch(crowd), keep);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], Errc::busy);
  ASSERT_TRUE(loop.run_until([&] { return ends.size() == 2; }));
  EXPECT_EQ(ends[1], Code());
}

TEST_F(CrowdPoolTest, AHundredCrowdsTakeTurns) {
  begin(2);
  std::vector<CrowdId> all;
  for (int i = 0; i < 100; ++i) all.push_back(create(spec("field.txt", 4)).value());
  std::map<std::uint32_t, int> turns;
  std::size_t answered = 0;
  std::function<void(CrowdId)> ask = [&](CrowdId crowd) {
    pool->step(batch(crowd), [&, crowd](const Result<Answer>& answer) {
      EXPECT_TRUE(answer) << answer.error().to_string();
      ++answered;
      const int mine = ++turns[crowd.slot];
      const auto left_behind = std::ranges::count_if(
          all, [&](const CrowdId& other) { return turns[other.slot] < mine - 2; });
      EXPECT_LE(left_behind, 1) << "one may be with the other worker, which stands still";
      if (mine < 10) ask(crowd);
    });
  };
  for (const CrowdId crowd : all) ask(crowd);
  EXPECT_EQ(pool->counts().under_way, 100u);
  ASSERT_TRUE(loop.run_until([&] { return answered == 1'000; }));
}

TEST_F(CrowdPoolTest, OneCrowdNeverRunsOnTwoThreads) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  // The clock is asked by the worker at both ends of each batch.
  const auto here = std::this_thread::get_id();
  begin(4, [&] {
    if (std::this_thread::get_id() == here) return std::chrono::nanoseconds(0);
    const int now = ++inside;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --inside;
    return std::chrono::nanoseconds(0);
  });
  const CrowdId crowd = create().value();
  most = 0;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(step(crowd));
  EXPECT_EQ(most, 1);
}

TEST_F(CrowdPoolTest, ACrowdMayEndWhileItsBatchRuns) {
  const CrowdId crowd = create().value();
  std::vector<Error> ends;
  pool->step(batch(crowd, {add(1, 5, 5)}),
             [&](const Result<Answer>& answer) { ends.push_back(answer.error()); });
  pool->destroy(crowd);
  ASSERT_TRUE(loop.run_until([&] { return ends.size() == 1; }));
  EXPECT_EQ(ends[0], Errc::unknown_crowd);
  const CrowdId next = create().value();
  EXPECT_EQ(next, (CrowdId{crowd.slot, crowd.generation + 1}));
  EXPECT_EQ(step(crowd).error(), Errc::unknown_crowd) << "the old id names nobody";
  EXPECT_TRUE(step(next));
}

TEST_F(CrowdPoolTest, ThePoolMayEndWhileABatchRuns) {
  const CrowdId crowd = create().value();
  bool called = false;
  pool->step(batch(crowd), [&](const Result<Answer>&) { called = true; });
  pool.reset();
  tasks->shutdown(60s);
  loop.run_what_is_there();
  EXPECT_FALSE(called);
}

TEST_F(CrowdPoolTest, AWorkerThatThrowsEndsItsCrowdAlone) {
  std::atomic<bool> throws{false};
  begin(2, [&] {
    if (throws) throw std::runtime_error("it threw");
    return std::chrono::nanoseconds(0);
  });
  const CrowdId bad = create().value();
  const CrowdId good = create().value();
  std::optional<Error> end;
  // Held up, so that only the worker sees the clock throw.
  pool->step(batch(bad), [&](const Result<Answer>& answer) { end = answer.error(); });
  ASSERT_TRUE(loop.run_until([&] { return end.has_value(); }));
  EXPECT_EQ(*end, Code());
  end.reset();
  std::atomic<bool> armed{false};
  tasks
      ->submit(
          "crowd/1",
          [&] {
            while (!armed) std::this_thread::yield();
            throws = true;
          },
          [](const auto&) {})
      .value();
  pool->step(batch(bad), [&](const Result<Answer>& answer) { end = answer.error(); });
  armed = true;
  ASSERT_TRUE(loop.run_until([&] { return end.has_value(); }));
  throws = false;
  EXPECT_EQ(*end, Errc::unknown_crowd);
  EXPECT_EQ(pool->counts().failed, 1u);
  EXPECT_FALSE(pool->has(bad));
  EXPECT_TRUE(step(good));
}

TEST_F(CrowdPoolTest, RefusesBatchesBeyondKMaxBatch) {
  const CrowdId crowd = create().value();
  EXPECT_TRUE(step(crowd, std::vector<Request>(kMaxBatch, Remove{{1, 1}})));
  EXPECT_EQ(step(crowd, std::vector<Request>(kMaxBatch + 1, Remove{{1, 1}})).error(),
            Errc::bad_request);
}

TEST_F(CrowdPoolTest, RefusesMoreThanKMaxCrowds) {
  std::size_t made = 0;
  for (std::uint32_t i = 0; i < kMaxCrowds; ++i) {
    pool->create(spec("field.txt", 1),
                 [&](const Result<CrowdId>& crowd) { made += crowd ? 1 : 0; });
  }
  ASSERT_TRUE(loop.run_until([&] { return made == kMaxCrowds; }));
  EXPECT_EQ(create(spec("field.txt", 1)).error(), Errc::too_many);
  pool->destroy({7, 1});
  EXPECT_EQ(create(spec("field.txt", 1)).value(), (CrowdId{7, 2}));
}

TEST_F(CrowdPoolTest, RefusesMoreThanKMaxPoolWalkers) {
  constexpr std::uint32_t kHalf = kMaxPoolWalkers / 2;
  EXPECT_TRUE(create(spec("field.txt", kHalf)));
  EXPECT_TRUE(create(spec("field.txt", kHalf - 1)));
  EXPECT_EQ(create(spec("field.txt", 2)).error(), Errc::too_many);
  EXPECT_TRUE(create(spec("field.txt", 1)));
  EXPECT_EQ(create(spec("field.txt", 0)).error(), Errc::bad_request);
}

TEST_F(CrowdPoolTest, RemovesWhatNobodyHasAskedForKCrowdIdle) {
  std::atomic<std::int64_t> now{0};
  begin(1, [&] { return std::chrono::nanoseconds(now.load()); });
  const CrowdId idle = create().value();
  const CrowdId asked = create().value();
  now = std::chrono::nanoseconds(kCrowdIdle).count() - 1;
  EXPECT_TRUE(step(asked));
  pool->expire();
  EXPECT_TRUE(pool->has(idle));
  ++now;
  pool->expire();
  EXPECT_FALSE(pool->has(idle));
  EXPECT_TRUE(pool->has(asked));
  EXPECT_EQ(pool->counts().expired, 1u);
}

}  // namespace
}  // namespace starbus::nodes::crowds
