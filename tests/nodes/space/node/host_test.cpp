/// A node that runs spaces under the real registry: what is made, reachable, counted and ended, in
/// which order.
#include "tests/nodes/space/node/support.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::nodes::space::node_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SpaceHostTest : public SpaceTestBase {};

TEST_F(SpaceHostTest, ASpaceStartsTicksLetsPlayersInAndEnds) {
  run([this]() -> Task {
    const auto s = service();
    const auto a = place("x");
    CO_TRUE(co_await s->begin());
    CO_TRUE(co_await open(*a));
    const Grant grant = co_await granted(*s);
    EXPECT_EQ(grant.node, "a.x");
    CO_TRUE(a->town() != nullptr);
    const auto called = co_await rpc::call<&Town::where>(s->endpoint, "space/town-1", {});
    EXPECT_TRUE(called && *called == "town-1");
    CO_TRUE(co_await until([&] { return script.ticks["town-1"] >= 3; }));

    Walker& ada = a->walker("ada");
    Walker& wolf = a->walker("wolf");
    bool had_its_place = false;
    ada.entering = [&](Walker& entity) { had_its_place = a->town()->aoi_id(entity).has_value(); };
    CO_OK(a->host.arrive(ada, grant.tickets.at(0), {10, 20}));
    CO_OK(a->town()->enter(wolf, {30, 40}));
    EXPECT_TRUE(had_its_place);
    EXPECT_EQ(ada.space(), a->town()->id());
    EXPECT_EQ(a->town()->players(), 1u);
    EXPECT_EQ(a->town()->others(), 1u);
    EXPECT_EQ(a->town()->aoi().position(*a->town()->aoi_id(ada)), (aoi::Position{10, 20}));
    EXPECT_EQ(a->town()->aoi().key_of(*a->town()->aoi_id(ada)),
              static_cast<std::uint64_t>(ada.online_id()));
    std::vector<std::string> seen;
    a->town()->for_each_player([&](entity::Entity& e) { seen.push_back(e.persistent_id()); });
    a->town()->for_each_other([&](entity::Entity& e) { seen.push_back(e.persistent_id()); });
    EXPECT_THAT(seen, ElementsAre("ada", "wolf"));

    CO_OK(s->registry->countdown({{"town", ""}, 1}, 100ms, s->now()));
    s->flush();
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    EXPECT_EQ(ada.space(), entity::OnlineId::none);
    CO_TRUE(co_await until([&] {
      return a->entities.entities().find_persistent("wolf") == nullptr &&
             a->entities.entities().size() == 1;
    }));
    EXPECT_THAT(script.said,
                ElementsAre("town-1 on_start", "ada enters", "town-1 on_enter", "wolf enters",
                            "town-1 on_enter", "town-1 on_warn", "town-1 on_end", "town-1 on_leave",
                            "ada leaves, left", "town-1 on_member_left", "town-1 on_leave",
                            "wolf leaves, left"));
    EXPECT_EQ(script.objects, 0);
    EXPECT_FALSE(a->bus.epoch("space/town-1"));
    CO_TRUE(co_await until([&] { return s->registry->spaces().empty(); }));
    EXPECT_EQ(a->host.counters().started, 1u);
    EXPECT_EQ(a->host.counters().ended, 1u);
    EXPECT_EQ(a->host.counters().arrived, 1u);
    EXPECT_THAT(s->members, ElementsAre("a.x")) << "the node is there without spaces, too";
  });
}

TEST_F(SpaceOrdersTest, AFailedStartIsToldWithItsTextAndFreesTheName) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    script.fail_start = "no map" + std::string(2 * kStartText, '!');
    co_await create(1);
    const Reply said = co_await reply();
    EXPECT_EQ(said.result.error(), Errc::start_failed);
    EXPECT_THAT(said.result.error().detail, HasSubstr("no map!"));
    EXPECT_EQ(said.result.error().detail.size(), kStartText) << "it is cut";
    EXPECT_EQ(script.objects, 0);
    EXPECT_EQ(a->host.size(), 0u);
    EXPECT_FALSE(a->bus.epoch("space/town-1"));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_start")) << "no on_end of what never ran";
    EXPECT_EQ(a->host.counters().failed, 1u);
    script.fail_start.clear();
    co_await create(2);
    EXPECT_TRUE((co_await reply()).result) << "its name is free";
  });
}

TEST_F(SpaceOrdersTest, WhatThrowsInItsStartIsAFailureAndNoEnd) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    std::uint64_t life = 0;
    for (const char* const hook : {"constructor", "on_start"}) {
      script.throws = {hook};
      co_await create(++life);
      const Reply said = co_await reply();
      EXPECT_EQ(said.result.error(), Errc::start_failed) << hook;
      EXPECT_THAT(said.result.error().detail, HasSubstr("it threw")) << hook;
      EXPECT_EQ(script.objects, 0) << hook;
    }
    script.throws.clear();
    co_await create(++life);
    EXPECT_TRUE((co_await reply()).result) << "the name is free, and the node goes on";
    EXPECT_EQ(a->host.counters().failed, 2u);
  });
}

TEST_F(SpaceOrdersTest, ANameThatIsHeldElsewhereIsAlreadyThere) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    const auto held = co_await boss->bus.bind("space/town-1", bus::kNoHandlers, use_awaitable);
    CO_OK(held);
    co_await create(1);
    const Reply said = co_await reply();
    EXPECT_EQ(said.result.error(), Errc::already_there);
    EXPECT_THAT(script.said, Not(Contains("town-1 on_start")));
    EXPECT_EQ(script.objects, 0);
    CO_OK(co_await boss->bus.unbind("space/town-1", use_awaitable));
    co_await create(2);
    EXPECT_TRUE((co_await reply()).result);
  });
}

TEST_F(SpaceOrdersTest, SeatsAreHeldTakenOnceAndFreedByWhateverEndsAPlayer) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    for (const std::uint64_t each : {1U, 2U, 3U}) co_await reserve(1, each);
    const auto present = [this]() -> std::uint32_t {
      const auto& rows = boss->latest.spaces;
      return rows.empty() ? 99 : rows.front().seats.present;
    };
    Walker& ada = a->walker("ada");
    Walker& bob = a->walker("bob");
    Walker& eve = a->walker("eve");
    CO_OK(a->host.arrive(ada, ticket(1), {1, 1}));
    EXPECT_EQ(a->host.arrive(bob, ticket(1), {1, 1}).error(), Errc::unknown_ticket)
        << "a ticket is taken once";
    EXPECT_EQ(a->host.arrive(ada, ticket(2), {1, 1}).error(), entity::EntityErrc::in_space)
        << "and this one is not used up";
    CO_OK(a->host.arrive(bob, ticket(2), {1, 1}));

    script.refuses = "eve";
    EXPECT_EQ(a->host.arrive(eve, ticket(3), {1, 1}).error(), entity::EntityErrc::init_failed);
    EXPECT_EQ(eve.space(), entity::OnlineId::none);
    EXPECT_FALSE(a->town()->has(eve));
    EXPECT_EQ(a->town()->aoi().entities().size(), 2u) << "nothing of it stays";
    script.refuses.clear();
    EXPECT_EQ(a->host.arrive(eve, ticket(3), {1, 1}).error(), Errc::unknown_ticket);
    co_await reserve(1, 4);  // of three seats two are taken: that of eve is free again
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(a->host.arrive(eve, ticket(4), {nan, 1}).error(), aoi::Errc::bad_position);
    co_await reserve(1, 5);
    script.said.clear();
    ada.destroy();
    EXPECT_THAT(script.said, ElementsAre("town-1 on_leave")) << "before the hooks of ada";
    EXPECT_EQ(a->town()->players(), 1u);
    CO_TRUE(co_await until([&] { return a->entities.entities().size() == 2; }));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_leave", "ada leaves, ended"));
    CO_TRUE(co_await until([&] { return present() == 1; }));

    script.said.clear();
    EXPECT_TRUE(a->host.leave(bob));
    EXPECT_FALSE(a->host.leave(bob));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_leave", "bob leaves, left"));
    CO_OK(a->host.arrive(eve, ticket(5), {1, 1}));
    EXPECT_TRUE(a->entities.entities().leave_space(eve)) << "by its manager, past the space";
    EXPECT_EQ(a->town()->players(), 0u);
    CO_TRUE(co_await until([&] { return present() == 0; }));
    EXPECT_TRUE(a->town()->aoi().entities().empty());
    EXPECT_EQ(a->host.counters().arrived, 3u);
    EXPECT_EQ(a->host.counters().refused, 5u);
  });
}

TEST_F(SpaceOrdersTest, AnEntityThatEndsOrLeavesWithinTheHooksOfItsEntryLeavesNothing) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    for (const std::uint64_t each : {1U, 2U}) co_await reserve(1, each);
    Walker& ada = a->walker("ada");
    ada.entering = [](Walker& self) { self.destroy(); };
    EXPECT_EQ(a->host.arrive(ada, ticket(1), {1, 1}).error(), entity::EntityErrc::ended);
    Walker& bob = a->walker("bob");
    bob.entering = [this](Walker& self) {
      EXPECT_FALSE(a->host.leave(self)) << "it is not in it yet";
      self.home().leave_space(self);
    };
    EXPECT_EQ(a->host.arrive(bob, ticket(2), {1, 1}).error(), entity::EntityErrc::ended);
    EXPECT_EQ(a->town()->players(), 0u);
    EXPECT_TRUE(a->town()->aoi().entities().empty());
    for (const std::uint64_t each : {3U, 4U, 5U}) co_await reserve(1, each);  // all are free
  });
}

TEST_F(SpaceOrdersTest, AFrozenMemberStaysUntilItHasMovedOrGoesOn) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    for (const std::uint64_t each : {1U, 2U, 3U}) co_await reserve(1, each);
    auto& manager = a->entities.entities();
    Walker& ada = a->walker("ada");
    Walker& bob = a->walker("bob");
    CO_OK(a->host.arrive(ada, ticket(1), {1, 1}));
    CO_OK(a->host.arrive(bob, ticket(2), {1, 1}));
    CO_OK(manager.freeze(ada));
    script.said.clear();
    EXPECT_FALSE(a->host.leave(ada));
    EXPECT_EQ(a->town()->players(), 2u);
    manager.destroy(ada, entity::EndReason::moved);  // she lives elsewhere
    EXPECT_EQ(a->town()->players(), 1u);
    CO_TRUE(co_await until([&] { return manager.size() == 1; }));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_leave", "ada leaves, moved"));

    CO_OK(manager.freeze(bob));
    script.said.clear();
    CO_OK(a->town()->end_after(0ms));
    CO_TRUE(co_await until([&] { return a->host.size() == 0; }));
    EXPECT_THAT(script.said, ElementsAre("town-1 on_warn", "town-1 on_end", "town-1 on_leave"))
        << "nothing of him runs, and nobody sends him elsewhere";
    CO_OK(manager.thaw(bob));
    CO_TRUE(co_await until([&] { return bob.space() == entity::OnlineId::none; }));
    EXPECT_EQ(script.said.back(), "bob leaves, left") << "the space has gone meanwhile";
  });
}

TEST_F(SpaceHostTest, AnUnusedTicketFreesItsSeat) {
  run([this]() -> Task {
    const auto s = service();
    const auto a = place("x");
    CO_TRUE(co_await s->begin());
    CO_TRUE(co_await open(*a));
    const Grant grant = co_await granted(*s);
    // Held for 100 ms only, by an order of the same service.
    rpc::call<&OrdersPort::obey>(
        s->endpoint, orders_channel("a.x"), {},
        Order{"a.x", grant.life.term, 1'000, grant.life, Reserve{{{grant.life.term, 99}}, 100ms}})(
        [](const auto&) {});
    CO_TRUE(co_await until([&] {
      const auto& rows = s->heard["a.x"].spaces;
      return !rows.empty() && rows.front().seats.held == 1;
    }));  // that of the grant is left
    Walker& ada = a->walker("ada");
    EXPECT_EQ(a->host.arrive(ada, {grant.life.term, 99}, {1, 1}).error(), Errc::unknown_ticket);
    CO_OK(a->host.arrive(ada, grant.tickets.at(0), {1, 1}));
  });
}

TEST_F(SpaceHostTest, ANodeAnnouncesItselfAfterAHelloAndThenByItself) {
  run([this]() -> Task {
    const auto s = service();
    double busy = 123;
    const auto a = place("x", {.labels = {"big"}, .busy = [&] { return busy; }});
    CO_TRUE(co_await open(*a));
    CO_TRUE(co_await s->begin());
    CO_TRUE(co_await until([&] { return s->heard.contains("a.x"); }));
    const Announcement first = s->heard["a.x"];
    EXPECT_EQ(first.busy_ms_per_s, 123);
    EXPECT_THAT(first.types, ElementsAre("town"));
    EXPECT_THAT(first.labels, ElementsAre("big"));
    EXPECT_FALSE(first.draining);
    busy = 456;
    CO_TRUE(co_await until([&] { return s->heard["a.x"].busy_ms_per_s == 456; }));
    // A reply is heard before an announcement that has what it says.
    s->came_in.clear();
    (void)co_await granted(*s);
    EXPECT_THAT(s->came_in, Contains("reply"));
    EXPECT_TRUE(s->heard["a.x"].spaces.empty() || s->came_in.front() == "reply");
  });
}

TEST_F(SpaceOrdersTest, AnEarlierServiceAndAbsurdOrdersAreRefused) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    co_await create(1);
    CO_TRUE(co_await runs());
    term = 6;
    decltype(Order::what) what = Close{true};
    EXPECT_EQ((co_await order(1, what)).code, Code(Errc::stale_service));
    EXPECT_EQ(a->host.size(), 1u);
    EXPECT_EQ(a->host.counters().stale_orders, 1u);
    term = 7;
    SpaceType absurd = town_type();
    absurd.ticks_per_second = 0;
    co_await create(2, 2, "", absurd);
    EXPECT_EQ((co_await reply()).result.error(), Errc::bad_request);
    absurd = town_type();
    absurd.max = {1e6F, 1e6F, 0};
    absurd.cell = 1;
    co_await create(3, 3, "", absurd);
    EXPECT_EQ((co_await reply()).result.error(), Errc::bad_request) << "10^12 cells";
    what = Countdown{-5ms};
    EXPECT_EQ((co_await order(1, what)).code, Code(Errc::bad_request));
    EXPECT_EQ(a->host.counters().bad_orders, 1u);
    what = Reserve{std::vector<Ticket>(100'000), 30s};
    EXPECT_EQ((co_await order(1, what)).code, Code{});
    EXPECT_EQ((co_await reply()).result.error(), Errc::bad_request);
    EXPECT_EQ(a->host.size(), 1u);
    EXPECT_EQ(script.objects, 1) << "no other space was ever made";
  });
}

}  // namespace
}  // namespace starbus::nodes::space::node_test
