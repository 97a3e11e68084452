/// A process answers calls that others were asked: it guesses their numbers.
#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>

#include "bus/client/bus.hpp"
#include "bus/client/bus_core.hpp"
#include "bus/core/origin/origin.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/places.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class ForgedReplies : public LoopTest {
 protected:
  /// Sends the victim a reply under a number of the attacker's choice, as no library does.
  static void forge(BusCore& evil, const Process& victim, std::uint64_t number) {
    Envelope envelope;
    envelope.kind = EnvelopeKind::reply;
    envelope.call = number;
    (void)evil.reply({victim.channel(), {}}, Lane::call, envelope, as_bytes("forged"));
  }

  testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
};

/// The attacker watches the victim, which shows its incarnation, and answers 200,000 numbers near
/// it and near the number of a call that the victim has made to it.
TEST_F(ForgedReplies, UnderGuessedNumbersCompleteNothing) {
  constexpr std::uint64_t kNear = 1'000;
  const std::uint64_t guesses = long_runs() ? 4'000'000 : 200'000;
  run(
      [this, guesses]() -> Task {
        Bus victim(loop, cluster.node("a", "victim"));
        Bus greeter(loop, cluster.node("b", "greeter"));
        const auto evil = BusCore::make(loop, cluster.node("a", "evil"));
        CO_OK(co_await victim.connect(use_awaitable));
        CO_OK(co_await greeter.connect(use_awaitable));
        std::uint64_t shown = 0;  // the number of a call to the attacker
        bool bound = false;
        Handlers reader;
        reader.on_call = [&](Call& call) { shown = call.responder().number(); };
        evil->connect([&](const Result<>&) {
          evil->bind("service/evil", reader, [&](const Result<Bound>&) { bound = true; });
        });
        EXPECT_TRUE(co_await until([&] { return bound; }));
        std::vector<Responder> held;
        Handlers slow;
        slow.on_call = [&](Call& call) { held.push_back(call.responder()); };
        CO_OK(co_await greeter.bind("entity/greeter", slow, use_awaitable));
        (void)co_await victim.call("service/evil", "", CallOptions(), use_awaitable);
        EXPECT_NE(shown, 0U);

        std::string answer;
        CallOptions patient;
        patient.deadline = 500s;
        victim.call("entity/greeter", "who is there?", patient, [&](const Result<Bytes>& reply) {
          answer = reply ? std::string(as_text(*reply)) : reply.error().to_string();
        });
        EXPECT_TRUE(co_await until([&] { return held.size() == 1; }));
        for (std::uint64_t sent = 0; sent < guesses; ++sent) {
          const bool near = sent < 2 * kNear;
          forge(*evil, victim.self(),
                near ? shown - kNear + sent : victim.self().incarnation + sent - 2 * kNear);
          if (sent % 2'000 != 1'999) continue;
          bool flushed = false;
          evil->flush(10s, [&](const Result<>&) { flushed = true; });
          EXPECT_TRUE(co_await until([&] { return flushed; }));
        }
        EXPECT_EQ(answer, "");
        CO_OK(held.at(0).reply("the greeter"));
        EXPECT_TRUE(co_await until([&] { return !answer.empty(); }));
        EXPECT_EQ(answer, "the greeter");
        EXPECT_GE(victim.counters().replies_unknown, guesses - 1) << "one was the attacker's own";
        evil->shut(Errc::closed);
      },
      long_runs() ? 500s : 100s);
}

TEST_F(ForgedReplies, AreCountedAndReportedSeldom) {
  run([this]() -> Task {
    Bus victim(loop, cluster.node("a", "victim"));
    const auto evil = BusCore::make(loop, cluster.node("b", "evil"));
    std::vector<std::string> warnings;
    victim.on_warning([&](const std::string& text) { warnings.push_back(text); });
    CO_OK(co_await victim.connect(use_awaitable));
    bool connected = false;
    evil->connect([&](const Result<>&) { connected = true; });
    EXPECT_TRUE(co_await until([&] { return connected; }));
    for (std::uint64_t guess = 1; guess <= 100; ++guess) forge(*evil, victim.self(), guess);
    EXPECT_TRUE(co_await until([&] { return victim.counters().replies_unknown == 100; }));
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings.at(0).find(evil->self().channel().to_string()), std::string::npos);
    evil->shut(Errc::closed);
  });
}

/// A reply that comes too late is no attack.
TEST_F(ForgedReplies, AreNotMistakenForLateOnes) {
  run([this]() -> Task {
    Bus caller(loop, cluster.node("a", "caller"));
    Bus callee(loop, cluster.node("b", "callee"));
    CO_OK(co_await caller.connect(use_awaitable));
    CO_OK(co_await callee.connect(use_awaitable));
    std::vector<Responder> held;
    Handlers slow;
    slow.on_call = [&](Call& call) { held.push_back(call.responder()); };
    CO_OK(co_await callee.bind("entity/slow", slow, use_awaitable));
    CallOptions options;
    options.deadline = 50ms;
    const auto ended = co_await caller.call("entity/slow", "", options, use_awaitable);
    EXPECT_EQ(ended.error(), Errc::deadline);
    CO_OK(held.at(0).reply("too late"));
    EXPECT_TRUE(co_await until([&] { return caller.counters().replies_late == 1; }));
    EXPECT_EQ(caller.counters().replies_unknown, 0U);
  });
}

}  // namespace
}  // namespace starbus::bus
