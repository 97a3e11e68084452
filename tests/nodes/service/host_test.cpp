/// A host of services and its instances: what is claimed, made, reachable, and in which order.
#include "tests/nodes/service/support.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::nodes::service::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const InstanceId kRank{"rank", 1, 4};

class HostTest : public HostTestBase {};

TEST_F(HostTest, InstanceServesUntilWithdrawnThenSaves) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
    const std::string channel = channel_name(kRank);
    const auto added = co_await rpc::call<&Counter::where>(a->endpoint, channel, {});
    EXPECT_TRUE(added && *added == "x");
    CO_OK(a->place(kRank));  // again: no change
    EXPECT_EQ(a->host.describe().instances.front().epoch, a->bus.epoch(claim_name(kRank)).value);

    CO_OK(a->withdraw(kRank));
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    EXPECT_THAT(script.said,
                ElementsAre("x starts rank/1of4", "x serves rank/1of4", "x stops rank/1of4"));
    EXPECT_EQ(script.objects, 0);
    EXPECT_FALSE(a->bus.epoch(channel));
    EXPECT_FALSE(a->bus.epoch(claim_name(kRank)));
    EXPECT_EQ(a->host.counters().started, 1u);
  });
}

TEST_F(HostTest, TwoHostsNeverRunOneInstanceAtATime) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
    CO_OK(b->place(kRank));
    CO_TRUE(co_await until([&] {
      const auto rows = b->host.describe().instances;
      return rows.front().problem == Errc::busy;
    }));
    EXPECT_EQ(b->state(kRank), InstanceState::claiming);
    script.hold_stop = true;
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return script.held.size() == 1; }));
    boost::asio::steady_timer pause(loop, 400ms);
    co_await pause.async_wait(use_awaitable);
    EXPECT_EQ(b->state(kRank), InstanceState::claiming) << "the other is still saving";
    EXPECT_EQ(a->place(kRank)->instances.front().state, InstanceState::stopping) << "not here now";
    script.held.front()({});
    CO_TRUE(co_await until([&] { return b->state(kRank) == InstanceState::serving; }));
    EXPECT_THAT(script.said,
                ElementsAre("x starts rank/1of4", "x serves rank/1of4", "x stops rank/1of4",
                            "y starts rank/1of4", "y serves rank/1of4"));
    EXPECT_EQ(script.most_at_once, 1);
    script.hold_stop = false;
  });
}

TEST_F(HostTest, FailedStartIsReportedAndReleasesNames) {
  run([this]() -> Task {
    const auto a = place("a", "x", {.start_deadline = 100ms});
    CO_OK(co_await a->bus.connect(use_awaitable));
    script.fail_start = true;
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::failed; }));
    EXPECT_EQ(a->host.describe().instances.front().problem.to_string(),
              "start_failed: io_error: no disk");
    EXPECT_EQ(script.objects, 0);

    script.fail_start = false;
    script.hold_start = true;
    CO_OK(a->place(kRank));  // once more
    CO_TRUE(co_await until([&] { return script.held.size() == 1; }));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::failed; }));
    EXPECT_EQ(a->host.describe().instances.front().problem, Errc::start_timeout);
    script.held.front()({});  // too late: nothing happens
    CO_TRUE(co_await until([&] { return !a->bus.epoch(claim_name(kRank)); }));
    EXPECT_EQ(script.objects, 0);

    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    script.hold_start = false;
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
    EXPECT_EQ(a->host.counters().failed, 2u);
  });
}

TEST_F(HostTest, WhatThrowsEndsItsInstanceAndNotTheHost) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    const std::vector<std::string> functions = {"is made", "starts", "serves"};
    for (const std::string& what : functions) {
      script.throws = what;
      CO_OK(a->place(kRank));
      CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::failed; }));
      EXPECT_EQ(a->host.describe().instances.front().problem.code, Errc::start_failed) << what;
      EXPECT_THAT(a->host.describe().instances.front().problem.detail, HasSubstr("it threw"));
      EXPECT_EQ(script.objects, 0) << what;
      CO_TRUE(co_await until([&] { return !a->bus.epoch(claim_name(kRank)); }));
    }
    script.throws = "stops";
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    EXPECT_EQ(a->host.counters().stopped_badly, 1u);
    EXPECT_EQ(script.objects, 0);
  });
}

TEST_F(HostTest, WhatAServiceThrowsIsReportedByItsType) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    starbus::test::ThrownLog log;
    script.throws = "starts";
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::failed; }));
    EXPECT_THAT(log.lines, ElementsAre("hook: it threw"));
    EXPECT_THAT(log.places, ElementsAre("rank, start"));
  });
}

/// CallableBase ends the coroutines too, but when the members of the service are gone.
TEST_F(HostTest, CoroutinesOfAServiceEndBeforeItsMembers) {
  run([this]() -> Task {
    auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    for (const bool withdrawn : {true, false}) {
      // Each a name of its own: what is sent in the first moment of a new owner of a name may be
      // taken for its predecessor's.
      const InstanceId rank{"rank", withdrawn ? 1u : 2u, 4};
      CO_OK(a->place(rank));
      CO_TRUE(co_await until([&] { return a->state(rank) == InstanceState::serving; }));
      for (int i = 0; i < 3; ++i) {
        CO_OK(rpc::send<&Counter::visit>(a->endpoint, channel_name(rank), {}));
      }
      CO_TRUE(co_await until([&] { return script.guests == 3; }));
      if (withdrawn) {
        CO_OK(a->withdraw(rank));
        CO_TRUE(co_await until([&] { return !a->state(rank); }));
      } else {
        a.reset();  // the host ends, and its instances with it
      }
      EXPECT_EQ(script.guests, 0);
      EXPECT_EQ(script.objects, 0);
      EXPECT_EQ(script.late_guests, 0);
    }
  });
}

TEST_F(HostTest, AStopThatDoesNotEndHoldsNobodyUp) {
  run([this]() -> Task {
    const auto a = place("a", "x", {.stop_deadline = 100ms});
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
    script.hold_stop = true;
    bool done = false;
    a->host.withdraw_all([&](const bus::Result<>&) { done = true; });
    EXPECT_EQ(a->place({"chat", 1, 0}).error(), Errc::not_ready);
    CO_TRUE(co_await until([&] { return done; }));
    EXPECT_EQ(a->host.counters().stopped_badly, 1u);
    EXPECT_EQ(script.objects, 0);
  });
}

TEST_F(HostTest, AnInstanceIsWithdrawnInEachOfItsStates) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    // Before the claim is granted.
    CO_OK(a->place(kRank));
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    // While start() runs.
    script.hold_start = true;
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] { return script.held.size() == 1; }));
    CO_OK(a->withdraw(kRank));
    EXPECT_EQ(script.objects, 0);
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    script.held.front()({});
    script.hold_start = false;
    // While a foreign process has the channel.
    const bus::Handlers none;
    CO_OK(co_await b->bus.bind(channel_name(kRank), none, use_awaitable));
    CO_OK(a->place(kRank));
    CO_TRUE(co_await until([&] {
      const auto rows = a->host.describe().instances;
      return rows.front().state == InstanceState::opening && rows.front().problem == Errc::busy;
    }));
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    // And waiting for the claim.
    CO_OK(b->place(kRank));
    CO_TRUE(co_await until([&] { return b->bus.epoch(claim_name(kRank)).value != 0; }));
    CO_OK(a->place(kRank));
    CO_TRUE(
        co_await until([&] { return a->host.describe().instances.front().problem == Errc::busy; }));
    CO_OK(a->withdraw(kRank));
    CO_TRUE(co_await until([&] { return !a->state(kRank); }));
    EXPECT_LE(script.most_at_once, 1);
  });
}

TEST_F(HostTest, ChecksOrdersAndRefusesEarlierManagers) {
  run([this]() -> Task {
    const auto a = place("a", "x", {}, {.labels = {"big"}, .capacity = 1});
    CO_OK(co_await a->bus.connect(use_awaitable));
    const auto placed = a->order(7, Action::Kind::place, kRank);
    CO_OK(placed);
    EXPECT_THAT(placed->types, ElementsAre("chat", "rank"));
    EXPECT_THAT(placed->labels, ElementsAre("big"));
    EXPECT_EQ(placed->capacity, 1u);
    EXPECT_EQ(a->order(6, Action::Kind::withdraw, kRank).error(), Errc::stale_manager);
    EXPECT_EQ(a->host.counters().stale_orders, 1u);
    const auto problem = [&](const InstanceId& id) {
      return a->order(8, Action::Kind::place, id)->instances.back().problem.code;
    };
    EXPECT_EQ(problem({"rank", 2, 4}), Errc::too_many);
    EXPECT_EQ(problem({"what", 2, 4}), Errc::unknown_type);
    EXPECT_EQ(problem({"rank", 5, 4}), Errc::bad_number);
    EXPECT_EQ(problem({"rank", 0, 0}), Errc::bad_number);
    EXPECT_EQ(problem({"../", 1, 0}), Errc::bad_name);
    EXPECT_EQ(a->host.describe().instances.size(), 1u) << "none of these stays";
    rpc::Caller nobody;
    Order large{9, std::vector<Action>(kMaxOrder + 1)};
    EXPECT_EQ(a->host.order(nobody, large).error(), Errc::too_many);
    EXPECT_EQ(
        a->host
            .add<Counter>("rank", {}, [](Instance&) -> std::unique_ptr<Counter> { return nullptr; })
            .error(),
        Errc::duplicate);
    CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
  });
}

TEST_F(HostTest, LostLeaseEndsInstancesAndAnotherHostTakesOver) {
  run(
      [this]() -> Task {
        const auto a = place("a", "x");
        CO_OK(co_await a->bus.connect(use_awaitable));
        CO_OK(a->place(kRank));
        CO_TRUE(co_await until([&] { return a->state(kRank) == InstanceState::serving; }));
        const std::uint64_t before = a->host.describe().instances.front().epoch;
        cluster.crash_root();
        CO_TRUE(co_await until(30s, [&] { return !a->state(kRank); }));
        EXPECT_EQ(script.objects, 0);
        EXPECT_EQ(a->host.counters().lost, 1u);
        EXPECT_THAT(script.said, ElementsAre("x starts rank/1of4", "x serves rank/1of4"))
            << "nothing is saved by one whose claim may be somebody else's";
        cluster.start_root();
        const auto b = place("b", "y");
        CO_OK(co_await b->bus.connect(use_awaitable));
        CO_OK(b->place(kRank));
        CO_TRUE(co_await until(30s, [&] { return b->state(kRank) == InstanceState::serving; }));
        EXPECT_GT(b->host.describe().instances.front().epoch, before);
      },
      80s);
}

}  // namespace
}  // namespace starbus::nodes::service::test
