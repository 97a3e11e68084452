/// What workers do with batches: the requests, their ends and versions, and time.
#include "nodes/nav/crowd_work.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "nodes/nav/limits.hpp"
#include "tests/nodes/nav/field.hpp"

namespace starbus::nodes::crowds {
namespace {

using nav::crowd::Doing;
using nav::crowd::End;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::add;
using test::go;
using test::name;
using test::spec;

/// A crowd on 40 m x 40 m of a file, and what its answers said.
class CrowdWorkTest : public ::testing::Test {
 protected:
  void begin(std::string map = test::square(40), const CrowdSpec& with = spec()) {
    folder.write("field.txt", map);
    auto read = read_map(folder.path().string() + "/field.txt", with.kinds);
    ASSERT_TRUE(read) << read.error().to_string();
    auto made = CrowdWork::create(*read, with, [this] { return now; });
    ASSERT_TRUE(made) << made.error().to_string();
    work = *std::move(made);
  }
  Answer step(std::vector<Request> requests = {}, std::chrono::microseconds passed = 100ms) {
    Batch batch;
    batch.number = ++number;
    batch.passed_us = static_cast<std::uint32_t>(passed.count());
    batch.requests = std::move(requests);
    Answer answer = work->step(batch);
    EXPECT_EQ(answer.number, number);
    for (const Ended& end : answer.ended) ended.push_back(end);
    for (const Refused& each : answer.refused) refused.push_back(each);
    for (const Moved& moved : answer.moved) last[moved.walker.slot] = moved;
    return answer;
  }
  /// Steps until so many commands have ended; false: not within so many steps.
  bool until_ended(std::size_t count, int steps = 600) {
    for (; steps > 0 && ended.size() < count; --steps) step();
    return ended.size() >= count;
  }
  float between(std::uint32_t a, std::uint32_t b) {
    return std::hypot(last[a].at.x - last[b].at.x, last[a].at.y - last[b].at.y);
  }

  test::TempFolder folder;
  std::chrono::nanoseconds now{0};
  std::unique_ptr<CrowdWork> work;
  std::uint64_t number = 0;
  std::vector<Ended> ended;
  std::vector<Refused> refused;
  std::map<std::uint32_t, Moved> last;
};

TEST_F(CrowdWorkTest, WithoutADistanceStopsWithinHalfARadius) {
  begin();
  Add wide;
  wide.walker = name(1);
  wide.at = {5, 5, 0};
  wide.radius = 0.6F;
  step({wide, go(1, 1, 20, 5)});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended[0], (Ended{name(1), 1, End::arrived, false}));
  EXPECT_LE(std::hypot(last[1].at.x - 20, last[1].at.y - 5), 0.3F);
}

TEST_F(CrowdWorkTest, TellsOnceMoreOfAWalkerThatHasStopped) {
  begin();
  step({add(1, 5, 5), go(1, 1, 8, 5)});
  ASSERT_TRUE(until_ended(1));
  for (int i = 0; i < 50; ++i) step();
  EXPECT_EQ(last[1].velocity, Point{}) << "it does not seem to go on";
  EXPECT_EQ(last[1].doing, Doing::idle);
  EXPECT_TRUE(step().moved.empty()) << "and nothing more";
}

TEST_F(CrowdWorkTest, AFollowerWaitsAndGoesOn) {
  begin();
  Add leader;
  leader.walker = name(2);
  leader.at = {20, 20, 0};
  leader.radius = 0.5F;
  leader.passive = true;
  Add follower = leader;
  follower.walker = name(1);
  follower.at = {10, 20, 0};
  follower.passive = false;
  Chase chase{name(1), 1, name(2), 2, false, true};
  step({leader, follower, chase});
  const auto push = [&](Point at) { return Push{name(2), at, {}}; };
  for (int i = 0; i < 100; ++i) step({push({20, 20, 0})});
  EXPECT_EQ(last[1].doing, Doing::waiting);
  const Point rests = last[1].at;
  EXPECT_LE(std::hypot(20 - rests.x, 20 - rests.y), 2.01F);
  for (int i = 0; i < 20; ++i) step({push({rests.x + 2.9F, rests.y, 0})});
  EXPECT_EQ(last[1].at, rests) << "2.9 m are less than 2 m and both radii";
  for (int i = 0; i < 40; ++i) step({push({rests.x + 3.2F, rests.y, 0})});
  EXPECT_GT(last[1].at.x, rests.x + 0.5F);
  EXPECT_TRUE(ended.empty());
}

TEST_F(CrowdWorkTest, ATargetThatGoesIsLostOnce) {
  begin();
  step({add(1, 5, 5), add(2, 30, 30), Chase{name(1), 3, name(2), 1, false, false}});
  for (int i = 0; i < 5; ++i) step();
  step({Remove{name(2)}});
  for (int i = 0; i < 10; ++i) step();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0], (Ended{name(1), 3, End::target_lost, false}));
}

TEST_F(CrowdWorkTest, AnAreaThatAKindCannotPassIsAWallForItAlone) {
  CrowdSpec two = spec();
  two.kinds = {{.name = "dry", .radius = 0, .closed = {2}},
               {.name = "wet", .radius = 0, .closed = {}}};
  begin("....2....\n....2....\n....2....\n", two);
  Add wet;
  wet.walker = name(2);
  wet.kind = 1;
  wet.at = {1, 2, 0};
  step({add(1, 1, 1), wet, go(1, 1, 8, 1), go(2, 1, 8, 2)});
  ASSERT_TRUE(until_ended(2));
  std::ranges::sort(ended, {}, [](const Ended& end) { return end.walker; });
  EXPECT_EQ(ended[0].end, End::unreachable);
  EXPECT_EQ(ended[1].end, End::arrived);
}

TEST_F(CrowdWorkTest, VersionsAreThoseOfTheLatestCommand) {
  begin();
  EXPECT_EQ(step({add(1, 5, 5, 7), go(1, 8, 30, 5)}).moved.at(0).version, 8u);
  EXPECT_EQ(step({go(1, 9, 30, 30)}).moved.at(0).version, 9u);
  EXPECT_EQ(step({Cancel{name(1), 10}}).moved.at(0).version, 10u);
  const Answer there = step({Teleport{name(1), 11, {20, 20, 0}}});
  for (const Moved& moved : there.moved) EXPECT_EQ(moved.version, 11u);
  for (int i = 0; i < 50; ++i) step();
  EXPECT_TRUE(ended.empty()) << "its space has ended them all";
  EXPECT_LT(std::hypot(last[1].at.x - 20, last[1].at.y - 20), 0.01F);
}

TEST_F(CrowdWorkTest, ARefusedCommandEndsTheOneBefore) {
  begin();
  step({add(1, 5, 5), go(1, 1, 30, 5)});
  step({go(1, 2, 500, 500)});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].walker, name(1));
  EXPECT_EQ(refused[0].version, 2u);
  EXPECT_EQ(refused[0].why, Errc::no_place);
  for (int i = 0; i < 30; ++i) step();
  EXPECT_EQ(last[1].version, 2u);
  EXPECT_LT(last[1].at.x, 9) << "it has stopped";
}

TEST_F(CrowdWorkTest, ATeleportToNoGroundTakesItOut) {
  begin();
  step({add(1, 5, 5)});
  step({Teleport{name(1), 1, {500, 5, 0}}});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].why, Errc::no_place);
  step({go(1, 2, 6, 6)});
  EXPECT_EQ(refused.at(1).why, Errc::unknown_walker);
}

TEST_F(CrowdWorkTest, OldNamesReachNobody) {
  begin();
  step({add(1, 5, 5)});
  step({Remove{name(1)}, Add{.walker = name(1, 2), .at = {9, 9, 0}}, go(1, 5, 30, 30),
        Remove{name(1)}});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].why, Errc::unknown_walker);
  EXPECT_EQ(refused[0].version, 5u);
  GoTo known{name(1, 2), 1, {12, 9, 0}};
  step({known});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended[0].walker, name(1, 2));
}

TEST_F(CrowdWorkTest, WhatNoSpaceSendsIsRefused) {
  begin();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Add kind;
  kind.walker = name(2);
  kind.kind = 9;
  kind.at = {1, 1, 0};
  step({add(1, 5, 5), add(0, 1, 1), add(17, 1, 1), add(3, nan, 1), kind, go(1, 1, nan, 1),
        Chase{name(1), 2, name(1)}, Chase{name(1), 3, name(9)}, Push{name(1), {5, 5, 0}, {}}});
  std::vector<Code> why;
  for (const Refused& each : refused) why.push_back(each.why.code);
  EXPECT_THAT(why, ::testing::ElementsAre(Code(Errc::unknown_walker), Code(Errc::unknown_walker),
                                          Code(nav::Errc::bad_position), Code(Errc::bad_request),
                                          Code(nav::Errc::bad_position), Code(Errc::same_walker),
                                          Code(Errc::unknown_walker), Code(nav::Errc::bad_option)));
}

TEST_F(CrowdWorkTest, APlayerOffTheGroundStaysWhereItWas) {
  begin();
  Add player;
  player.walker = name(1);
  player.at = {5, 5, 0};
  player.passive = true;
  step({player, Push{name(1), {900, 5, 0}, {}}});
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(work->counts().off_ground, 1u);
}

TEST_F(CrowdWorkTest, MoreCommandsOfOneBatchThanReportsHaveRoomFor) {
  begin();
  std::vector<Request> requests{add(1, 5, 5)};
  for (std::uint32_t version = 1; version <= 200; ++version) {
    requests.push_back(go(1, version, 5 + static_cast<float>(version % 30), 5));
  }
  EXPECT_TRUE(step(std::move(requests)).refused.empty());
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended[0].version, 200u);
}

// --- obstacles -----------------------------------------------------------------------------------

/// With a map of its own, and a wall over which only its door leads: at x = 20, open at y = 20.
class CrowdDoorTest : public CrowdWorkTest {
 protected:
  CrowdDoorTest() {
    std::string map;
    for (int y = 0; y < 40; ++y) {
      std::string line(40, '.');
      if (y < 19 || y > 21) line[20] = '#';
      map += line + "\n";
    }
    folder.write("field.txt", map);
    with.obstacles = 2;
    work = own(with).value();
  }
  Result<std::unique_ptr<crowds::CrowdWork>> own(const CrowdSpec& spec) {
    auto read = read_map(folder.path().string() + "/field.txt", spec.kinds);
    return crowds::CrowdWork::create_own(read.value(), spec, [this] { return now; });
  }
  static Request door(std::uint32_t number = 1, nav::Area area = nav::kWall) {
    return Block{number, {{20, 18, 0}, {21, 23, 0}}, area};
  }

  CrowdSpec with = spec();
};

TEST_F(CrowdDoorTest, NobodyPassesAClosedDoorAndWhoWalksIsTold) {
  step({add(1, 5, 20.5F), go(1, 1, 35, 20.5F)});
  for (int i = 0; i < 10; ++i) step();
  EXPECT_GT(last[1].at.x, 7);
  step({door()});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended[0], (Ended{name(1), 1, End::unreachable, false}));
  EXPECT_LT(last[1].at.x, 20);
  step({Unblock{1}, go(1, 2, 35, 20.5F)});
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(ended[1], (Ended{name(1), 2, End::arrived, false}));
  EXPECT_TRUE(refused.empty());
}

TEST_F(CrowdDoorTest, WhoStandsInADoorThatClosesStandsBesideIt) {
  step({add(1, 20.5F, 20.5F)});
  step({door()});
  step();
  EXPECT_TRUE(last[1].at.x < 20 || last[1].at.x > 21) << last[1].at.x;
}

TEST_F(CrowdDoorTest, ADoorMayBeForSomeKindsAlone) {
  with.kinds.push_back({.name = "ghost", .radius = 0, .closed = {}});
  with.kinds[0].closed = {5};
  work = own(with).value();
  Add ghost;
  ghost.walker = name(2);
  ghost.kind = 1;
  ghost.at = {5, 25, 0};
  step({door(1, 5), add(1, 5, 20.5F), ghost, go(1, 1, 35, 20.5F), go(2, 1, 35, 25)});
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(ended[0], (Ended{name(1), 1, End::unreachable, false}));
  EXPECT_EQ(ended[1], (Ended{name(2), 1, End::arrived, false}));
}

TEST_F(CrowdDoorTest, OneOfTheSameNumberTakesThePlaceOfTheFormer) {
  step({add(1, 5, 20.5F), door(), Block{1, {{0, 30, 0}, {1, 31, 0}}}, go(1, 1, 35, 20.5F)});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended[0].end, End::arrived);
}

TEST_F(CrowdDoorTest, WhatCannotStandIsRefusedByItsNumber) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  step({Block{0, {}}, Block{3, {}}, Block{2, {{none, 0, 0}, {1, 1, 0}}}, Unblock{7}});
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].why, Errc::bad_request);
  EXPECT_EQ(refused[1].obstacle, 3u);
  EXPECT_THAT(refused[1].why.detail, HasSubstr("the crowd has 2"));
  EXPECT_EQ(refused[2].obstacle, 2u);
  EXPECT_EQ(refused[2].walker, WalkerName{});
}

TEST_F(CrowdWorkTest, RefusesMoreObstaclesThanKMaxBlocks) {
  begin();
  CrowdSpec with = spec();
  const auto file = folder.path().string() + "/field.txt";
  for (const std::uint64_t obstacles : {kMaxBlocks, kMaxBlocks + 1}) {
    with.obstacles = static_cast<std::uint32_t>(obstacles);
    const auto made = crowds::CrowdWork::create_own(read_map(file, with.kinds).value(), with);
    EXPECT_EQ(made.has_value(), obstacles == kMaxBlocks);
  }
  const auto shared = crowds::CrowdWork::create(read_map(file, with.kinds).value(), with);
  EXPECT_EQ(shared.error(), Errc::bad_request) << "others walk there, too";
  step({Block{1, {}}});
  EXPECT_EQ(refused.at(0).why, Errc::bad_request);
}

TEST_F(CrowdWorkTest, TellsWaysIfItIsAsked) {
  begin();
  step({add(1, 5, 5), add(2, 9, 9), go(1, 1, 30, 5)});
  step();
  Batch batch;
  batch.passed_us = 100'000;
  EXPECT_TRUE(work->step(batch).ways.empty());
  batch.ways = true;
  const Answer answer = work->step(batch);
  ASSERT_EQ(answer.ways.size(), 1u) << "of those who have one";
  EXPECT_EQ(answer.ways[0].walker, name(1));
  ASSERT_FALSE(answer.ways[0].corners.empty());
  EXPECT_NEAR(answer.ways[0].corners.back().x, 30, 0.05);
  EXPECT_NEAR(answer.ways[0].corners.back().y, 5, 0.05);
  ASSERT_TRUE(until_ended(1));
  EXPECT_TRUE(work->step(batch).ways.empty()) << "it is there";
}

// --- time ----------------------------------------------------------------------------------------

TEST_F(CrowdWorkTest, LetsAtMostKMaxPassedPass) {
  begin();
  step({add(1, 5, 5), go(1, 1, 35, 5)});
  const auto most = static_cast<std::uint32_t>(std::chrono::microseconds(kMaxPassed).count());
  EXPECT_EQ(step({}, 10s).passed_us, most);
  EXPECT_EQ(work->counts().left_out_us, 10'000'000u - most);
  EXPECT_LT(last[1].at.x, 5 + 3 * 0.36F) << "0.35 s at 3 m/s";
}

TEST_F(CrowdWorkTest, CutsTimeIntoEqualSteps) {
  begin();
  EXPECT_EQ(step({}, 240ms).passed_us, 240'000u);
  EXPECT_EQ(work->counts().steps, 3u) << "of 80 ms each, as 100 ms is the longest";
  step({}, 100ms);
  EXPECT_EQ(work->counts().steps, 4u);
  EXPECT_EQ(step({}, 0ms).passed_us, 0u);
  EXPECT_EQ(work->counts().steps, 4u);
}

TEST_F(CrowdWorkTest, LeavesStepsOutBeyondItsBudget) {
  folder.write("field.txt", test::square(8));
  auto read = read_map(folder.path().string() + "/field.txt", spec().kinds);
  ASSERT_TRUE(read);
  std::chrono::nanoseconds time{0};
  auto slow = crowds::CrowdWork::create(*read, spec(), [&] { return time += kBatchBudget; });
  ASSERT_TRUE(slow);
  Batch batch;
  batch.passed_us = 250'000;
  const Answer answer = (*slow)->step(batch);
  EXPECT_EQ((*slow)->counts().steps, 1u) << "one always";
  EXPECT_EQ(answer.passed_us, 83'333u);
  EXPECT_EQ((*slow)->counts().left_out_us, 250'000u - 83'333u);
}

TEST_F(CrowdWorkTest, RefusesAReachBeyondKMaxSnap) {
  begin();
  auto read = read_map(folder.path().string() + "/field.txt", spec().kinds);
  for (const float reach :
       {0.0F, -1.0F, static_cast<float>(kMaxSnap) + 1, std::numeric_limits<float>::quiet_NaN()}) {
    CrowdSpec with = spec();
    with.reach = reach;
    const auto made = crowds::CrowdWork::create(*read, with);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), Errc::bad_request);
    EXPECT_THAT(made.error().detail, HasSubstr("reach"));
  }
}

}  // namespace
}  // namespace starbus::nodes::crowds
