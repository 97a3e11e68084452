// Every way in which a message, a call or a bind can end, as its caller sees it.
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class OutcomesTest : public LoopTest {
 protected:
  OutcomesTest() : cluster(loop, {.hosts = {"a", "b"}}) {}
  testing::Cluster cluster;
};

TEST_F(OutcomesTest, ASecondBindIsRefusedNamingTheOwnerOnTheSameHostAndAcross) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus neighbour(loop, cluster.node("a", "neighbour"));
    Bus stranger(loop, cluster.node("b", "stranger"));
    for (Bus* bus : {&owner, &neighbour, &stranger}) CO_OK(co_await bus->connect(use_awaitable));
    CO_OK(co_await owner.bind("entity/7", kNoHandlers, use_awaitable));
    for (Bus* bus : {&owner, &neighbour, &stranger}) {
      const auto refused = co_await bus->bind("entity/7", kNoHandlers, use_awaitable);
      EXPECT_EQ(refused.error(), Errc::already_bound);
      if (bus == &owner) continue;
      EXPECT_NE(refused.error().detail.find("a.owner"), std::string::npos);
    }
    CO_OK(co_await owner.unbind("entity/7", use_awaitable));
    CO_OK(co_await stranger.bind("entity/7", kNoHandlers, use_awaitable));
  });
}

TEST_F(OutcomesTest, NamesOf255BytesWorkAnd256AreRefused) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    const std::string longest = "entity/" + std::string(248, 'x');
    const Handlers handlers{.on_call = [](Call& c) { (void)c.reply("yes"); }};
    CO_OK(co_await bus.bind(longest, handlers, use_awaitable));
    CO_OK(co_await bus.call(longest, "", {}, use_awaitable));
    const auto refused = co_await bus.bind(longest + "x", kNoHandlers, use_awaitable);
    EXPECT_EQ(refused.error(), Errc::bad_name);
    EXPECT_EQ(bus.send(longest + "x", "").error(), Errc::bad_name);
  });
}

TEST_F(OutcomesTest, ANameNeverReceivesForALongerOne) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    Bus sender(loop, cluster.node("b", "sender"));
    CO_OK(co_await bus.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    int received = 0;
    const Handlers handlers{.on_message = [&](Message&) { ++received; }};
    CO_OK(co_await bus.bind("player/1", handlers, use_awaitable));
    const auto sent = co_await sender.send_acknowledged("player/10", {}, {}, use_awaitable);
    EXPECT_EQ(sent.error(), Errc::no_owner);
    EXPECT_EQ(received, 0);
  });
}

TEST_F(OutcomesTest, ACallEndsAtItsDeadlineAndALateReplyIsDropped) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<Responder> held;
    const Handlers handlers{.on_call = [&](Call& call) { held.push_back(call.responder()); }};
    CO_OK(co_await bus.bind("entity/slow", handlers, use_awaitable));
    const auto reply = co_await bus.call("entity/slow", "", {.deadline = 50ms}, use_awaitable);
    EXPECT_EQ(reply.error(), Errc::deadline);
    CO_OK(held.at(0).reply("too late"));
    CO_OK(co_await bus.flush(2s, use_awaitable));
    EXPECT_EQ(bus.counters().calls_timed_out, 1U);
  });
}

/// The timer of deadlines stands where calls that have ended had put it.
TEST_F(OutcomesTest, DeadlinesEndCallsAfterOthersThatWereAnswered) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<Responder> held;
    const Handlers handlers{.on_call = [&](Call& call) { held.push_back(call.responder()); }};
    CO_OK(co_await bus.bind("entity/slow", handlers, use_awaitable));
    const Handlers handlers2{.on_call = [](Call& call) { (void)call.reply("done"); }};
    CO_OK(co_await bus.bind("entity/fast", handlers2, use_awaitable));
    for (const std::chrono::milliseconds before :
         {60'000ms, 20ms}) {  // a later deadline, and an earlier one
      CO_OK(co_await bus.call("entity/fast", "", {.deadline = before}, use_awaitable));
      const auto reply = co_await bus.call("entity/slow", "", {.deadline = 50ms}, use_awaitable);
      EXPECT_EQ(reply.error(), Errc::deadline);
    }
    EXPECT_EQ(bus.counters().calls_timed_out, 2U);
  });
}

TEST_F(OutcomesTest, AHandlersRefusalAndAForgottenCallAreErrorsOfTheirOwn) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    const Handlers handlers{.on_call = [](Call& call) {
      (void)call.fail({Errc::handler_failed, "not your guild"});
    }};
    CO_OK(co_await bus.bind("entity/refuses", handlers, use_awaitable));
    const Handlers handlers2{.on_call = [](Call&) {}};
    CO_OK(co_await bus.bind("entity/forgets", handlers2, use_awaitable));
    const Handlers handlers3{.on_message = [](Message&) {}};
    CO_OK(co_await bus.bind("entity/mute", handlers3, use_awaitable));
    const auto refused = co_await bus.call("entity/refuses", "", {}, use_awaitable);
    EXPECT_EQ(refused.error(), Errc::handler_failed);
    EXPECT_EQ(refused.error().detail, "not your guild");
    const auto forgotten = co_await bus.call("entity/forgets", "", {}, use_awaitable);
    EXPECT_EQ(forgotten.error(), Errc::handler_failed);
    const auto unheard = co_await bus.call("entity/mute", "", {}, use_awaitable);
    EXPECT_EQ(unheard.error(), Errc::no_handler);
  });
}

TEST_F(OutcomesTest, AFullWindowBlocksAndRoomComesBack) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    int received = 0;
    const Handlers handlers{.on_message = [&](Message&) { ++received; }};
    CO_OK(co_await bus.bind("entity/7", handlers, use_awaitable));
    const Bytes body(1000);
    int sent = 0;
    Result<> last;
    while ((last = bus.send("entity/7", body))) ++sent;
    EXPECT_EQ(last.error(), Errc::would_block);
    // Bodies, envelopes and item headers fill the window to less than one message.
    EXPECT_EQ(static_cast<std::uint64_t>(sent), kChannelWindow / (1000 + 2 + 8));
    CO_OK(co_await bus.room("entity/7", Lane::call, use_awaitable));
    CO_OK(bus.send("entity/7", body));
    CO_OK(co_await bus.flush(5s, use_awaitable));
    EXPECT_EQ(received, sent + 1);
  });
}

TEST_F(OutcomesTest, TheWindowOfTheProcessBlocksTooAndIsSharedByChannels) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    cluster.crash_root();  // nothing is acknowledged while nobody knows the names
    const Bytes body(512 * 1024);
    int sent = 0;
    Result<> last;
    while ((last = bus.send("entity/" + std::to_string(sent), body)) && sent < 100) ++sent;
    EXPECT_EQ(last.error(), Errc::would_block);
    EXPECT_EQ(static_cast<std::uint64_t>(sent), kProcessWindow / (512 * 1024 + 10));
  });
}

TEST_F(OutcomesTest, TheLargestBodyArrivesAndALargerOneIsRefused) {
  run([this]() -> Task {
    Bus receiver(loop, cluster.node("b", "receiver"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await receiver.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    Bytes got;
    const Handlers handlers{
        .on_message = [&](Message& m) { got.assign(m.body().begin(), m.body().end()); }};
    CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
    Bytes body(kMaxBody);
    for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::byte>(i * 31 >> 3);
    CO_OK(co_await sender.send_acknowledged("entity/7", body, {.lane = Lane::bulk}, use_awaitable));
    EXPECT_TRUE(got == body);
    body.resize(kMaxBody + 1);
    EXPECT_EQ(sender.send("entity/7", body).error(), Errc::too_large);
  });
}

TEST_F(OutcomesTest, AMessageExpiresWhileItsOwnerIsOutOfReach) {
  run([this]() -> Task {
    Bus receiver(loop, cluster.node("b", "receiver"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await receiver.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    std::vector<std::string> got;
    const Bytes one(1, std::byte{'1'}), two(1, std::byte{'2'}), three(1, std::byte{'3'});
    const Handlers handlers{.on_message = [&](Message& m) { got.emplace_back(m.text()); }};
    CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
    CO_OK(co_await sender.send_acknowledged("entity/7", one, {}, use_awaitable));
    cluster.crash_root();
    const auto expired =
        co_await sender.send_acknowledged("entity/7", two, {.ttl = 50ms}, use_awaitable);
    EXPECT_EQ(expired.error(), Errc::expired);
    cluster.start_root();
    CO_OK(co_await sender.send_acknowledged("entity/7", three, {}, use_awaitable));
    EXPECT_EQ(got.size(), 2U);
    EXPECT_EQ(got.front() + got.back(), "13");
  });
}

TEST_F(OutcomesTest, WhatIsUnacknowledgedWhenTheOwnerEndsIsOwnerLost) {
  run([this]() -> Task {
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await sender.connect(use_awaitable));
    auto owner = std::make_unique<Bus>(loop, cluster.node("b", "owner"));
    CO_OK(co_await owner->connect(use_awaitable));
    CO_OK(co_await owner->bind("entity/7", kNoHandlers, use_awaitable));
    CO_OK(co_await sender.send_acknowledged("entity/7", {}, {}, use_awaitable));
    // The host is cut off while a message is under way; then the owner leaves.
    cluster.crash_root();
    std::optional<Result<>> outcome;
    sender.send_acknowledged("entity/7", {}, {}, [&](Result<> r) { outcome = r; });
    boost::asio::steady_timer timer(loop, 100ms);
    co_await timer.async_wait(use_awaitable);
    CO_OK(co_await owner->close(1s, use_awaitable));
    cluster.start_root();
    for (int i = 0; i < 500 && !outcome; ++i) {
      timer.expires_after(10ms);
      co_await timer.async_wait(use_awaitable);
    }
    EXPECT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome.value_or(Result<>()).error(), Errc::owner_lost);
  });
}

/// The sender has met the first owner only: its first message and its first call to each of the
/// next ones are handled, as they were sent when that owner was there.
TEST_F(OutcomesTest, ANameThatLivesAgainIsHeardAtOnce) {
  run([this]() -> Task {
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await sender.connect(use_awaitable));
    boost::asio::steady_timer timer(loop);
    int hits = 0;
    for (int life = 0; life < 3; ++life) {
      Bus owner(loop, cluster.node("b", "owner" + std::to_string(life)));
      CO_OK(co_await owner.connect(use_awaitable));
      const Handlers handlers{.on_message = [&](Message&) { ++hits; },
                              .on_call = [](Call& call) { (void)call.reply("here"); }};
      CO_OK(co_await owner.bind("monster/boss", handlers, use_awaitable));
      timer.expires_after(100ms);
      co_await timer.async_wait(use_awaitable);
      CO_OK(co_await sender.send_acknowledged("monster/boss", {}, {}, use_awaitable));
      CO_OK(co_await sender.call("monster/boss", "", {.lane = Lane::sync}, use_awaitable));
      EXPECT_EQ(hits, life + 1);
      CO_OK(co_await owner.close(1s, use_awaitable));
    }
    EXPECT_EQ(sender.counters().failed, 0U);
  });
}

TEST_F(OutcomesTest, WhatDoesNotArriveIsCountedAndShownByBusd) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    CO_OK(bus.send("monster/bos", ""));  // nobody listens to on_undelivered
    const auto shown = [&] {
      for (const Failure& failure : cluster.busd("a")->failures().latest()) {
        if (failure.reason == "undelivered: no_owner, 1 message") return true;
      }
      return false;
    };
    EXPECT_TRUE(co_await until(shown));
    EXPECT_EQ(bus.counters().undelivered, 1U);
  });
}

TEST_F(OutcomesTest, ClosingFlushesAndThenEverythingIsClosed) {
  run([this]() -> Task {
    Bus receiver(loop, cluster.node("b", "receiver"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await receiver.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    int received = 0;
    const Handlers handlers{.on_message = [&](Message&) { ++received; }};
    CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
    for (int i = 0; i < 100; ++i) CO_OK(sender.send("entity/7", "x"));
    CO_OK(co_await sender.close(5s, use_awaitable));
    EXPECT_EQ(received, 100);
    EXPECT_EQ(sender.send("entity/7", "x").error(), Errc::closed);
    const auto bound = co_await sender.bind("entity/8", kNoHandlers, use_awaitable);
    EXPECT_EQ(bound.error(), Errc::closed);
    const auto unbound = co_await receiver.unbind("entity/none", use_awaitable);
    EXPECT_EQ(unbound.error(), Errc::not_bound);
  });
}

TEST_F(OutcomesTest, ATakenNodeNameIsRefused) {
  run([this]() -> Task {
    // Both live in one OS process, so the later one is the newer life of the node and takes over;
    // the older one is told so and does not fight back.
    Bus first(loop, cluster.node("a", "node"));
    CO_OK(co_await first.connect(use_awaitable));
    Bus second(loop, cluster.node("a", "node"));
    CO_OK(co_await second.connect(use_awaitable));
    boost::asio::steady_timer timer(loop, 200ms);
    co_await timer.async_wait(use_awaitable);
    CO_OK(co_await second.bind("entity/7", kNoHandlers, use_awaitable));
  });
}

TEST_F(OutcomesTest, BeforeConnectSendsAreRefused) {
  Bus bus(loop, cluster.node("a", "node"));
  EXPECT_EQ(bus.send("entity/7", "x").error(), Errc::unreachable);
  Errc called = Errc::ok;
  bus.call("entity/7", "x", {}, [&](const Result<Bytes>& result) {
    if (!result) called = errc_of(result.error());
  });
  loop.poll();
  EXPECT_EQ(called, Errc::unreachable);
  EXPECT_THROW(Bus(loop, cluster.node("a", "no.dots")), std::invalid_argument);
}

TEST_F(OutcomesTest, AFourThousandAndNinetySevenMemberMulticastIsRefused) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= kMaxGroup; ++i) names.push_back("entity/" + std::to_string(i));
    EXPECT_EQ(bus.multicast(names, {}).error(), Errc::group_too_large);
  });
}

}  // namespace
}  // namespace starbus::bus
