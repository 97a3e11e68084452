/// Callers of the service, while it is nowhere, and when it dies.
#include "tests/nodes/space/service/support.hpp"

namespace starbus::nodes::space::test {
namespace {

class SpaceCallsTest : public SpaceServiceTestBase {};

TEST_F(SpaceCallsTest, ARequestWaitsUntilThereIsAService) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    std::optional<Result<Grant>> told;
    player->calls.enter(ask(15s), [&](Result<Grant> seat) { told = std::move(seat); });
    co_await sleep(2 * kEnterAgain + kLongestEnterAgain);
    EXPECT_FALSE(told);
    CO_TRUE(co_await serve(*home));
    CO_TRUE(co_await until([&] { return told.has_value(); }));
    CO_OK(*told);
    EXPECT_EQ(player->calls.waiting(), 0u);
  });
}

TEST_F(SpaceCallsTest, ARequestEndsWithItsPatienceIfThereIsNoService) {
  run([this]() -> Task {
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    const auto began = steady_now();
    const EnterRequest request = ask(300ms);
    const auto told = co_await player->calls.enter(request, use_awaitable);
    EXPECT_EQ(told.error(), Errc::too_late) << told.error().to_string();
    EXPECT_GE(steady_now() - began, 300ms);
    EXPECT_EQ(player->calls.waiting(), 0u);
  });
}

TEST_F(SpaceCallsTest, AWithdrawnRequestEndsAndItsSpaceDoesNotStart) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    const auto other = caller("other");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_OK(co_await other->bus.connect(use_awaitable));
    x->hold_start = true;
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    std::map<std::uint64_t, Result<Grant>> told;
    const auto go = [&](Caller& who) {
      auto number = std::make_shared<std::uint64_t>();
      *number = who.calls.ask(ask(15s), [&told, number](Result<Grant> seat) {
        told.insert_or_assign(*number, std::move(seat));
      });
      return *number;
    };
    const auto first = go(*player);
    const auto second = go(*player);
    CO_TRUE(co_await until([&] { return home->registry().waiters() == 2; }));
    CO_TRUE(co_await until([&] { return x->held.size() == 1; }));
    const auto foreign =
        co_await rpc::call<&SpaceService::withdraw>(other->endpoint, kSpaceService, {}, first);
    CO_OK(foreign);
    EXPECT_EQ(home->registry().waiters(), 2u) << "it is another's";
    player->calls.withdraw(first);
    player->calls.withdraw(first);
    CO_TRUE(co_await until([&] { return told.contains(first); }));
    EXPECT_EQ(told.at(first).error(), rpc::Errc::canceled);
    EXPECT_EQ(home->registry().waiters(), 1u);
    EXPECT_EQ(home->registry().spaces().front().state, "creating") << "the second one waits for it";
    player->calls.withdraw(second);
    CO_TRUE(co_await until([&] { return told.contains(second); }));
    // Nobody wants it any more: it is ended before it has started.
    CO_TRUE(co_await until([&] { return home->registry().spaces().empty(); }));
    x->hold_start = false;
    EXPECT_EQ(player->calls.waiting(), 0u);
    EXPECT_EQ(home->desk.counters.answers.at("canceled"), 2u);
  });
}

TEST_F(SpaceCallsTest, ARequestThatIsWithdrawnWhileThereIsNoServiceEndsAtOnce) {
  run([this]() -> Task {
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    std::optional<Result<Grant>> told;
    const auto number =
        player->calls.ask(ask(15s), [&](Result<Grant> seat) { told = std::move(seat); });
    co_await sleep(4 * kEnterAgain);  // it was refused, and waits
    player->calls.withdraw(number);
    EXPECT_FALSE(told) << "in a later turn";
    CO_TRUE(co_await until([&] { return told.has_value(); }));
    EXPECT_EQ(told->error(), rpc::Errc::canceled);
    EXPECT_EQ(player->calls.waiting(), 0u);
  });
}

TEST_F(SpaceCallsTest, AKilledServiceCostsAWaitingPlayerNothing) {
  run([this]() -> Task {
    const auto first = host("first", {town()});
    const auto second = host("second", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_OK(co_await second->bus.connect(use_awaitable));
    x->hold_start = true;
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*first));
    std::optional<Result<Grant>> told;
    player->calls.enter(ask(15s), [&](Result<Grant> seat) { told = std::move(seat); });
    CO_TRUE(co_await until([&] { return x->held.size() == 1; }));
    first->kill();
    EXPECT_EQ(first->desk.service, nullptr);
    CO_TRUE(co_await serve(*second));
    x->hold_start = false;
    CO_TRUE(co_await until([&] { return told.has_value(); }));
    CO_OK(*told);
    EXPECT_EQ(x->rows().front().seats.held, 1u);
  });
}

TEST_F(SpaceCallsTest, MoreRequestsThanTheServiceRunsAtOnceAreAllServed) {
  run([this]() -> Task {
    constexpr std::size_t kAtOnce = 100;
    constexpr std::size_t kPlayers = kAtOnce + 50;
    const auto home = host("home", {town(1'000)});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    home->desk.service->limit_coroutines(kAtOnce);
    std::size_t seated = 0;
    for (std::size_t i = 0; i < kPlayers; ++i) {
      player->calls.enter(ask(15s), [&](const Result<Grant>& seat) { seated += seat ? 1 : 0; });
    }
    CO_TRUE(co_await until([&] { return home->registry().waiters() == kAtOnce; }));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await until([&] { return seated == kPlayers; }));
    EXPECT_EQ(x->rows().front().seats.held, kPlayers);
  });
}

TEST_F(SpaceCallsTest, RequestsBeyondTheLimitAreRefused) {
  run([this]() -> Task {
    auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    std::map<Code, std::size_t> told;
    const auto note = [&](const Result<Grant>& seat) { ++told[seat.error().code]; };
    for (std::size_t i = 0; i < kMaxSpaceCalls + 1; ++i) player->calls.enter(ask(60s), note);
    EXPECT_EQ(player->calls.waiting(), kMaxSpaceCalls);
    CO_TRUE(co_await until([&] { return told[Errc::would_block] == 1; }));
    player.reset();
    CO_TRUE(co_await until([&] { return told[rpc::Errc::canceled] == kMaxSpaceCalls; }));
  });
}

}  // namespace
}  // namespace starbus::nodes::space::test
