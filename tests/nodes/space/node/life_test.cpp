/// What goes wrong with spaces at their node, and how they end: hooks that hang or throw, the
/// lease, the drain; and several in one loop.
#include "tests/nodes/space/node/support.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::nodes::space::node_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SpaceLifeTest : public SpaceOrdersTest {};

TEST_F(SpaceLifeTest, AHangingStartIsGivenUp) {
  run([this]() -> Task {
    const SpaceHostOptions limits{.start_limit = 100ms};
    const bool begun = co_await begin(limits);
    CO_TRUE(begun);
    script.hold_start = true;
    co_await create(1);
    const Reply said = co_await reply();
    EXPECT_EQ(said.result.error(), Errc::start_failed);
    EXPECT_THAT(said.result.error().detail, HasSubstr("100 ms"));
    CO_TRUE(co_await until([&] { return script.objects == 0 && a->host.size() == 0; }));
    CO_TRUE(script.held.size() == 1);
    script.held.front()({});  // too late: nothing happens
    script.hold_start = false;
    co_await create(2);
    EXPECT_TRUE((co_await reply()).result) << "its name is free again";
    CO_TRUE(co_await runs());
    EXPECT_EQ(a->host.counters().failed, 1u);
    EXPECT_EQ(a->host.counters().started, 1u);
  });
}

TEST_F(SpaceLifeTest, OneThatStillStartsIsEndedWithoutOnEnd) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    script.hold_start = true;
    co_await create(1);
    CO_TRUE(co_await until([&] { return script.held.size() == 1; }));
    decltype(Order::what) what = Close{true};
    (void)co_await order(1, what);
    const Reply closed = co_await reply();
    EXPECT_EQ(closed.to, Reply::To::close);
    EXPECT_TRUE(closed.result);
    EXPECT_EQ(script.objects, 0);
    EXPECT_THAT(script.said, ElementsAre("town-1 on_start"));
    script.held.front()({});
    EXPECT_EQ(a->host.size(), 0u);
  });
}

TEST_F(SpaceLifeTest, AHangingEndIsGivenUp) {
  run([this]() -> Task {
    const SpaceHostOptions limits{.end_limit = 100ms};
    const bool begun = co_await begin(limits);
    CO_TRUE(begun);
    co_await create(1);
    CO_TRUE(co_await runs());
    co_await reserve(1, 1);
    Walker& ada = a->walker("ada");
    CO_OK(a->host.arrive(ada, ticket(1), {1, 1}));
    script.hold_end = true;
    decltype(Order::what) what = Close{true};
    (void)co_await order(1, what);
    EXPECT_TRUE((co_await reply()).result);
    EXPECT_THAT(script.said, Contains("town-1 on_member_left"));
    EXPECT_EQ(ada.space(), entity::OnlineId::none);
    EXPECT_EQ(script.objects, 0);
    EXPECT_EQ(a->host.counters().ended_badly, 1u);
    script.held.front()({});
  });
}

TEST_F(SpaceLifeTest, AMatchThatIsOverWarnsAndEndsByItself) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    co_await reserve(1, 1);
    EXPECT_EQ(a->town()->end_after(-1s).error(), Errc::bad_request);
    EXPECT_EQ(a->town()->end_after(61min).error(), Errc::bad_request);
    CO_OK(a->town()->end_after(200ms));
    EXPECT_EQ(a->town()->end_after(1s).error(), Errc::ends);
    Walker& ada = a->walker("ada");
    EXPECT_EQ(a->host.arrive(ada, ticket(1), {1, 1}).error(), Errc::unknown_ticket);
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_start", "town-1 on_warn", "town-1 on_end"));
    CO_TRUE(co_await until([&] { return boss->latest.spaces.empty(); }));
  });
}

TEST_F(SpaceLifeTest, WhatHooksThrowEndsThemAndNothingElse) {
  const starbus::test::ThrownLog thrown;
  run([&]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    co_await reserve(1, 1);
    script.throws = {"on_before_tick", "on_tick", "on_after_tick", "on_enter",
                     "on_leave",       "on_warn", "on_end",        "on_member_left"};
    const std::uint64_t ticks = script.ticks["town-1"];
    CO_TRUE(co_await until([&] { return script.ticks["town-1"] > ticks + 3; }));
    Walker& ada = a->walker("ada");
    CO_OK(a->host.arrive(ada, ticket(1), {1, 1}));
    EXPECT_TRUE(a->town()->has(ada)) << "its entry stands";
    CO_OK(a->town()->end_after(100ms));
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    EXPECT_EQ(ada.space(), entity::OnlineId::none);
    EXPECT_EQ(script.objects, 0);
    EXPECT_THAT(thrown.lines, Each(std::string("hook: it threw")));
    for (const char* const hook : {"on_before_tick", "on_tick", "on_after_tick", "on_enter",
                                   "on_leave", "on_warn", "on_end", "on_member_left"}) {
      EXPECT_THAT(thrown.places, Contains("town, " + std::string(hook)));
    }
    EXPECT_EQ(a->host.counters().ended_badly, 1u);
  });
}

TEST_F(SpaceLifeTest, ManyMembersLeaveInSlices) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    constexpr std::size_t kWolves = 3 * kLeavePerTurn + 1;
    for (std::size_t i = 0; i < kWolves; ++i) {
      CO_OK(a->town()->enter(a->walker("wolf" + std::to_string(i)), {1, 1}));
    }
    EXPECT_EQ(a->town()->others(), kWolves);
    CO_OK(a->town()->end_after(0ms));
    // What is posted while it ends has its turn before the last member has left.
    std::vector<std::size_t> left;
    const std::function<void()> look = [&] {
      const auto count = std::ranges::count_if(
          script.said, [](const std::string& line) { return line.ends_with("leaves, left"); });
      left.push_back(static_cast<std::size_t>(count));
      if (a->host.size() != 0) boost::asio::post(loop, look);
    };
    boost::asio::post(loop, look);
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    EXPECT_THAT(left, Contains(std::size_t{kLeavePerTurn}));
    EXPECT_THAT(left, Contains(std::size_t{2 * kLeavePerTurn}));
    CO_TRUE(co_await until([&] { return a->entities.entities().size() == 0; }));
  });
}

TEST_F(SpaceLifeTest, ASpaceKeepsTickingWhileAnotherOneIsSlow) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    script.slow_tick = 40ms;
    co_await create(1, 1, "slow");
    co_await create(2, 2);
    CO_TRUE(co_await runs(1) && co_await runs(2));
    const std::uint64_t slow = script.ticks["town-1"];
    const std::uint64_t quick = script.ticks["town-2"];
    CO_TRUE(co_await until([&] {
      return script.ticks["town-1"] >= slow + 10 && script.ticks["town-2"] >= quick + 10;
    }));
    // What is behind them is measured in TickLineTest: here only that none takes all turns.
    const double share = static_cast<double>(script.ticks["town-2"] - quick) /
                         static_cast<double>(script.ticks["town-1"] - slow);
    EXPECT_GT(share, 0.4);
    EXPECT_LT(share, 2.5);
    const auto called = co_await rpc::call<&Town::where>(boss->endpoint, "space/town-1", {});
    EXPECT_TRUE(called && *called == "town-1") << "messages have their turns between ticks";
  });
}

TEST_F(SpaceLifeTest, ALostLeaseEndsAllAtOnceAndTheNodeBeginsAnew) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        co_await create(1);
        CO_TRUE(co_await runs());
        co_await reserve(1, 1);
        Walker& ada = a->walker("ada");
        Walker& wolf = a->walker("wolf");
        CO_OK(a->host.arrive(ada, ticket(1), {1, 1}));
        CO_OK(a->town()->enter(wolf, {1, 1}));
        script.said.clear();
        cluster.crash_root();
        CO_TRUE(co_await until(30s, [&] { return a->host.size() == 0; }));
        EXPECT_EQ(script.objects, 0);
        EXPECT_EQ(ada.space(), entity::OnlineId::none) << "she lives on";
        EXPECT_THAT(script.said, Not(Contains("town-1 on_end")));
        EXPECT_THAT(script.said, Not(Contains("town-1 on_member_left")));
        CO_TRUE(co_await until([&] { return a->entities.entities().size() == 1; }));
        EXPECT_EQ(a->host.counters().lost, 1u);
        EXPECT_EQ(a->host.arrive(ada, ticket(1), {1, 1}).error(), Errc::unknown_ticket);

        cluster.start_root();
        CO_OK(co_await a->bus.connect(use_awaitable));
        CO_TRUE(co_await open(*a));
        CO_OK(co_await boss->bus.connect(use_awaitable));
        CO_OK(co_await boss->endpoint.bind(std::string(kSpaceService), boss->news, use_awaitable));
        term = 3;  // a busroot that has lost its disk counts from the beginning
        co_await create(9);
        // Not the reply: it may be meant for the former owner of the service's name, and is lost
        // then.
        CO_TRUE(co_await until([&] {
          const Announcement& latest = boss->latest;
          return latest.term == term && latest.spaces.size() == 1 && latest.spaces.front().ready;
        }));
        CO_TRUE(co_await runs());
      },
      80s);
}

class SpaceDrainTest : public SpaceTestBase {};

TEST_F(SpaceDrainTest, WarnsAndEndsAllAndThenLeavesTheGroup) {
  run([this]() -> Task {
    const auto s = service();
    const auto a = place("x", {.drain_warning = 200ms});
    CO_TRUE(co_await s->begin());
    CO_TRUE(co_await open(*a));
    const Grant one = co_await granted(*s);
    const Grant two = co_await granted(*s, 0, 3);  // a team that has no room in the first
    EXPECT_NE(one.space, two.space);
    Walker& ada = a->walker("ada");
    CO_OK(a->host.arrive(ada, one.tickets.at(0), {1, 1}));
    script.said.clear();
    script.hold_end = true;
    bool drained = false;
    a->host.drain([&](const bus::Result<>& result) {
      EXPECT_TRUE(result);
      drained = true;
    });
    CO_TRUE(co_await until([&] { return s->heard["a.x"].draining; }));
    CO_TRUE(co_await until([&] { return script.held.size() == 2; }));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_warn", "town-2 on_end", "town-1 on_end"))
        << "the empty one at once";
    EXPECT_THAT(s->members, ::testing::ElementsAre("a.x")) << "it is no dead one";
    EXPECT_FALSE(drained);
    for (const Done& done : std::exchange(script.held, {})) done({});
    CO_TRUE(co_await until([&] { return drained; }));
    EXPECT_EQ(a->host.size(), 0u);
    CO_TRUE(co_await until([&] { return s->members.empty(); }));
    EXPECT_THAT(script.said, Contains("town-1 on_member_left"));
    const std::uint64_t late = s->enter();
    (void)late;  // no node takes it
    EXPECT_EQ(script.objects, 0);
  });
}

TEST_F(SpaceDrainTest, OfANodeWithoutSpacesIsOverAtOnce) {
  run([this]() -> Task {
    const auto a = place("x");
    CO_TRUE(co_await open(*a));
    bool drained = false;
    a->host.drain([&](const bus::Result<>&) { drained = true; });
    CO_TRUE(co_await until([&] { return drained; }));
    const auto b = place("y");  // that has never been open
    bool also = false;
    b->host.drain([&](const bus::Result<>&) { also = true; });
    CO_TRUE(co_await until([&] { return also; }));
    bool refused = false;
    a->host.open(
        [&](const bus::Result<>& opened) { refused = opened.error() == bus::Errc::closed; });
    EXPECT_TRUE(refused);
  });
}

}  // namespace
}  // namespace starbus::nodes::space::node_test
