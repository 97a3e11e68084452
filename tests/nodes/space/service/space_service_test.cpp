/// The service of spaces over the bus: players who enter, deaths of nodes and of the service.
#include "tests/nodes/space/service/support.hpp"

namespace starbus::nodes::space::test {
namespace {

using ::testing::HasSubstr;

TEST_F(SpaceServiceTest, APlayerEntersATownThatDoesNotRunYet) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    const EnterRequest request = ask(10s);
    const auto seat = co_await player->calls.enter(request, use_awaitable);
    CO_OK(seat);
    EXPECT_EQ(to_string(seat->space), "town-1");
    EXPECT_EQ(seat->node, "b.x");
    EXPECT_EQ(seat->life.term, home->host.describe().instances.front().epoch);
    EXPECT_EQ(seat->hold, kTicketHold);
    CO_TRUE(seat->tickets.size() == 1);
    const auto arrived = x->spaces.arrive(seat->tickets.front(), steady_now());
    CO_OK(arrived);
    EXPECT_EQ(*arrived, seat->life);
    EXPECT_EQ(home->desk.counters.answers["granted"], 1u);
    const PlaceId place = kTownPlace;
    const auto lines =
        co_await rpc::call<&SpaceService::lines>(player->endpoint, kSpaceService, {}, place);
    CO_OK(lines);
    CO_TRUE(lines->size() == 1);
    EXPECT_EQ(lines->front().state, "ready");
    EXPECT_EQ(lines->front().node, "b.x");
    EXPECT_EQ(lines->front().taken, 1u);
  });
}

TEST_F(SpaceServiceTest, WhoWaitsForADeadNodeIsServedElsewhere) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    auto x = runner("x");
    const auto y = runner("y");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    x->hold_start = true;
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    std::vector<Result<Grant>> told;
    for (int i = 0; i < 3; ++i) {
      player->calls.enter(ask(15s), [&](Result<Grant> seat) { told.push_back(std::move(seat)); });
    }
    CO_TRUE(co_await until([&] { return x->held.size() == 1; }));
    CO_TRUE(co_await until([&] { return home->registry().waiters() == 3; }));
    CO_TRUE(co_await y->begin());
    (void)co_await x->bus.close(0ms, use_awaitable);
    x.reset();
    CO_TRUE(co_await until([&] { return told.size() == 3; }));
    for (const Result<Grant>& seat : told) {
      CO_OK(seat);
      EXPECT_EQ(seat->node, "b.y");
    }
    EXPECT_EQ(y->rows().front().seats.held, 3u);
  });
}

TEST_F(SpaceServiceTest, WhoWaitsForADeadNodeIsToldIfThereIsNoOther) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    x->hold_start = true;
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    std::optional<Result<Grant>> told;
    player->calls.enter(ask(2s), [&](Result<Grant> seat) { told = std::move(seat); });
    CO_TRUE(co_await until([&] { return x->held.size() == 1; }));
    (void)co_await x->bus.close(0ms, use_awaitable);
    x.reset();
    CO_TRUE(co_await until(4s, [&] { return told.has_value(); }));
    EXPECT_TRUE(told->error() == Errc::no_node || told->error() == Errc::create_failed)
        << told->error().to_string();
    EXPECT_EQ(home->registry().waiters(), 0u);
  });
}

TEST_F(SpaceServiceTest, TheSpaceOfADeadNodeComesUpElsewhere) {
  run([this]() -> Task {
    SpaceType type = town();
    type.min_lines = 1;
    type.precreated = 1;
    const auto home = host("home", {type});
    auto x = runner("x");
    const auto y = runner("y");
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    const auto runs_at = [&](const std::string& node) {
      const auto lines = home->registry().lines(kTownPlace);
      return lines.size() == 1 && lines[0].state == "ready" && lines[0].node == node;
    };
    CO_TRUE(co_await until([&] { return runs_at("b.x"); }));
    CO_TRUE(co_await y->begin());
    (void)co_await x->bus.close(0ms, use_awaitable);
    x.reset();
    CO_TRUE(co_await until([&] { return runs_at("b.y"); }));
  });
}

TEST_F(SpaceServiceTest, TheNextServiceKeepsEverySeatAndGrantsNoneBeforeTheNodesAnnounced) {
  run([this]() -> Task {
    const auto first = host("first", {town()});
    const auto second = host("second", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_OK(co_await second->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*first));
    const EnterRequest request = ask(10s);
    std::vector<Ticket> tickets;
    for (int i = 0; i < 3; ++i) {
      const auto seat = co_await player->calls.enter(request, use_awaitable);
      CO_OK(seat);
      tickets.push_back(seat->tickets.front());
    }
    CO_OK(x->spaces.arrive(tickets[0], steady_now()));
    const Life life = x->rows().front().life;

    x->mute = true;
    first->kill();
    CO_TRUE(co_await serve(*second));
    EXPECT_GT(second->desk.service->registry()->nodes().nodes().size() + 1, 0u);
    std::optional<Result<Grant>> told;
    player->calls.enter(request, [&](Result<Grant> seat) { told = std::move(seat); });
    CO_TRUE(co_await until([&] { return second->registry().waiters() == 1; }));
    co_await sleep(500ms);
    EXPECT_TRUE(second->registry().rebuilding());
    EXPECT_FALSE(told) << "nothing is known yet";
    const SpaceName name{kTownPlace, 1};
    const auto early =
        co_await rpc::call<&SpaceService::close>(player->endpoint, kSpaceService, {}, name);
    EXPECT_TRUE(!early && early.error().error == Errc::rebuilding);

    x->mute = false;
    CO_TRUE(co_await until([&] { return told.has_value(); }));
    CO_OK(*told);
    EXPECT_EQ((*told)->life, life) << "the space that ran goes on";
    EXPECT_GT((*told)->tickets.front().term, life.term) << "a later term";
    EXPECT_EQ(second->registry().lines(kTownPlace).front().taken, 4u);
    for (const Ticket& ticket : {tickets[1], tickets[2], (*told)->tickets.front()}) {
      CO_OK(x->spaces.arrive(ticket, steady_now()));
    }
  });
}

TEST_F(SpaceServiceTest, ACallerThatEndsWaitsNoMore) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    auto player = caller("player");
    const auto other = caller("other");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_OK(co_await other->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    const auto ignore = [](const Result<Grant>&) {};
    player->calls.enter(ask(60s), ignore);
    player->calls.enter(ask(60s), ignore);
    other->calls.enter(ask(60s), ignore);
    CO_TRUE(co_await until([&] { return home->registry().waiters() == 3; }));
    (void)co_await player->bus.close(0ms, use_awaitable);
    CO_TRUE(co_await until([&] { return home->registry().waiters() == 1; }));
    EXPECT_EQ(home->desk.service->rpc_coroutines(), 1u);
    player.reset();
  });
}

TEST_F(SpaceServiceTest, AnOrderThatCannotBeDeliveredFreesItsSeats) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    const auto deaf = co_await begin_liar(*home, false);
    CO_TRUE(deaf != nullptr);
    Announcement news;
    news.term = home->host.describe().instances.front().epoch;
    news.types = {"town"};
    news.spaces = {{{1, 1}, {kTownPlace, 1}, true, false, {}, 100, {7, 0}}};
    deaf->say(news);
    CO_TRUE(co_await until([&] { return home->registry().lines(kTownPlace).size() == 1; }));
    const auto failed = [&] { return home->desk.counters.undelivered; };
    const std::uint64_t before = failed();
    EnterRequest request = ask(10s);
    request.line = 1;
    const auto told = co_await player->calls.enter(request, use_awaitable);
    EXPECT_EQ(told.error(), Errc::too_late) << told.error().to_string();
    EXPECT_THAT(told.error().detail, ::testing::HasSubstr("node b.liar was not reached"));
    EXPECT_GT(failed(), before);
    EXPECT_EQ(home->registry().lines(kTownPlace).front().taken, 7u);
  });
}

TEST_F(SpaceServiceTest, SeatsOfALostReservationComeBackByAnAnnouncement) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    const EnterRequest request = ask(10s);
    CO_OK(co_await player->calls.enter(request, use_awaitable));
    // Orders vanish: they are taken, and nothing is done or answered.
    CO_OK(co_await x->endpoint.unbind(orders_channel(x->process), use_awaitable));
    std::vector<bus::Responder> swallowed;
    bus::Handlers hole;
    hole.on_call = [&](bus::Call& call) { swallowed.push_back(call.responder()); };
    CO_OK(co_await x->bus.bind(orders_channel(x->process), hole, use_awaitable));
    const EnterRequest brief = ask(300ms);
    const auto late = co_await player->calls.enter(brief, use_awaitable);
    EXPECT_FALSE(late);
    CO_TRUE(co_await until([&] { return swallowed.size() == 2; }));  // the Reserve, the Release
    CO_OK(co_await x->bus.unbind(orders_channel(x->process), use_awaitable));
    CO_TRUE(co_await x->take_orders());
    co_await sleep(500ms);
    EXPECT_EQ(home->registry().lines(kTownPlace).front().taken, 2u) << "it may hold that seat";
    CO_TRUE(
        co_await until(8s, [&] { return home->registry().lines(kTownPlace).front().taken == 1; }));
    EXPECT_GE(home->desk.counters.uncertain, 1u);
  });
}

TEST_F(SpaceServiceTest, AsManyRequestsWaitAsTheRegistryTakes) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    EXPECT_GT(home->desk.service->most_coroutines(), kMaxWaiters);
    constexpr std::size_t kMany = 3 * rpc::kMaxRunningPerHost;
    std::vector<rpc::Pending<Grant, Error>> waiting;
    for (std::size_t i = 0; i < kMany; ++i) {
      waiting.push_back(
          rpc::call<&SpaceService::enter>(player->endpoint, kSpaceService, {}, ask(30s)));
    }
    CO_TRUE(co_await until([&] { return home->registry().waiters() == kMany; }));
  });
}

TEST_F(SpaceServiceTest, RequestsGetTheErrorsOfTheRegistry) {
  run([this]() -> Task {
    const auto home = host("home", {town(), dungeon()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    CO_TRUE(co_await until([&] { return !home->registry().rebuilding(); }));
    rpc::Endpoint& from = player->endpoint;
    std::map<std::string, Code> refused;
    EnterRequest request = ask(10s);
    const auto enter = [&]() -> boost::asio::awaitable<Code> {
      const auto told = co_await player->calls.enter(request, use_awaitable);
      co_return told.error().code;
    };
    request.place = {"Town", ""};
    EXPECT_EQ(co_await enter(), Errc::bad_name);
    request.place = {std::string(100'000, 'x'), ""};
    EXPECT_EQ(co_await enter(), Errc::bad_name);
    request.place = {"dungeon", "../../etc"};
    EXPECT_EQ(co_await enter(), Errc::bad_name);
    request.place = {"village", ""};
    EXPECT_EQ(co_await enter(), Errc::unknown_type);
    request.place = {"dungeon", ""};
    EXPECT_EQ(co_await enter(), Errc::bad_request);
    request.place = kTownPlace;
    request.seats = 4'000'000'000;
    EXPECT_EQ(co_await enter(), Errc::bad_request);
    request.seats = 1;
    request.line = 7;
    EXPECT_EQ(co_await enter(), Errc::no_such_line);
    request.line = 0;
    request.setup = std::string(kMaxSetup + 1, 'x');
    EXPECT_EQ(co_await enter(), Errc::bad_request);
    request.setup.clear();
    EXPECT_EQ(co_await enter(), Code());

    const PlaceId village{"village", ""};
    const PlaceId malformed{"a b", ""};
    const auto no_type = co_await rpc::call<&SpaceService::lines>(from, kSpaceService, {}, village);
    EXPECT_EQ(no_type.error().error, Errc::unknown_type);
    const auto no_name =
        co_await rpc::call<&SpaceService::lines>(from, kSpaceService, {}, malformed);
    EXPECT_EQ(no_name.error().error, Errc::bad_name);
    const SpaceName one{kTownPlace, 1};
    const SpaceName two{kTownPlace, 2};
    const SpaceName zero{kTownPlace, 0};
    const auto close = [&](SpaceName name) -> boost::asio::awaitable<Code> {
      const auto told = co_await rpc::call<&SpaceService::close>(from, kSpaceService, {}, name);
      co_return told.error().error.code;
    };
    EXPECT_EQ(co_await close(zero), Errc::bad_name);
    EXPECT_EQ(co_await close(two), Errc::unknown_space);
    EXPECT_EQ(co_await close(one), Errc::occupied);
    const auto countdown =
        [&](std::optional<std::chrono::milliseconds> after) -> boost::asio::awaitable<Code> {
      const auto told =
          co_await rpc::call<&SpaceService::countdown>(from, kSpaceService, {}, one, after);
      co_return told.error().error.code;
    };
    EXPECT_EQ(co_await countdown(-1ms), Errc::bad_request);
    EXPECT_EQ(co_await countdown(std::chrono::milliseconds::max()), Errc::bad_request);
    EXPECT_EQ(co_await countdown(50ms), Code());
    EXPECT_EQ(co_await countdown(50ms), Errc::ends);
    CO_TRUE(co_await until([&] { return home->registry().spaces().empty(); }));
    EXPECT_TRUE(x->rows().empty());
  });
}

TEST_F(SpaceServiceTest, GatesAreRefused) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto gate = caller("gate");
    CO_OK(co_await gate->bus.connect(use_awaitable));
    CO_OK(co_await gate->bus.bind("gate/a.gate", bus::kNoHandlers, use_awaitable));
    CO_TRUE(co_await serve(*home));
    const auto seen = [&] { return home->endpoint.gates().is_gate(gate->bus.self()); };
    CO_TRUE(co_await until(seen));
    const EnterRequest request = ask(5s);
    const SpaceName name{kTownPlace, 1};
    const auto enter =
        co_await rpc::call<&SpaceService::enter>(gate->endpoint, kSpaceService, {}, request);
    EXPECT_EQ(enter.error(), rpc::Errc::not_permitted);
    const rpc::CallOptions own{.behalf = rpc::Behalf::own_client, .client = 42};
    const auto client =
        co_await rpc::call<&SpaceService::enter>(gate->endpoint, kSpaceService, own, request);
    EXPECT_EQ(client.error(), rpc::Errc::not_permitted);
    const auto close =
        co_await rpc::call<&SpaceService::close>(gate->endpoint, kSpaceService, {}, name);
    EXPECT_EQ(close.error(), rpc::Errc::not_permitted);
    const Announcement news;
    const auto announced =
        co_await rpc::call<&NewsPort::announce>(gate->endpoint, kSpaceService, {}, news);
    EXPECT_EQ(announced.error(), rpc::Errc::not_permitted);
    EXPECT_EQ(home->registry().waiters(), 0u);
  });
}

TEST_F(SpaceServiceTest, OneInstanceAloneMayRun) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    CO_OK(co_await home->bus.connect(use_awaitable));
    CO_OK(home->place({"space", 2, 0}));
    const auto failed = [&] {
      return home->host.describe().instances.front().state == service::InstanceState::failed;
    };
    CO_TRUE(co_await until(failed));
    EXPECT_THAT(home->host.describe().instances.front().problem.detail,
                HasSubstr("give the type instances = 1"));
  });
}

TEST_F(SpaceServiceTest, OtherTypesAreUsedFromAReloadOn) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    const EnterRequest request = ask(10s, {"dungeon", "team7"});
    const auto unknown = co_await player->calls.enter(request, use_awaitable);
    EXPECT_EQ(unknown.error(), Errc::unknown_type);
    home->desk.service->reload(types_of({town(), dungeon()}));
    const auto seat = co_await player->calls.enter(request, use_awaitable);
    CO_OK(seat);
    EXPECT_EQ(to_string(seat->space), "dungeon.team7-1");
  });
}

}  // namespace
}  // namespace starbus::nodes::space::test
