// A cluster in the middle of an upgrade: one part of it speaks the protocol version before this
// one. Everything works, through a crash too; what is new ends where the older part begins.
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr std::uint8_t kOlder = kVersionMinor - 1;

/// The parameter: who is older. "root", a host, or "sender" or "receiver".
class MixedVersions : public LoopTest, public ::testing::WithParamInterface<std::string> {
 protected:
  MixedVersions()
      : cluster(loop, {.hosts = {"a", "b"}, .minors = {{GetParam(), kOlder}}}),
        receiver(loop, node("b", "receiver")),
        elsewhere(loop, node("a", "elsewhere")),
        sender(loop, node("a", "sender")) {}

  Options node(const std::string& host, const std::string& name) {
    Options options = cluster.node(host, name);
    if (name == GetParam()) options.protocol_minor = kOlder;
    return options;
  }
  Task connect() {
    for (Bus* bus : {&receiver, &elsewhere, &sender}) {
      CO_OK(co_await bus->connect(use_awaitable));
    }
  }
  void crash_older_daemon() {
    if (GetParam() == "root") {
      cluster.crash_root();
      cluster.start_root();
    } else if (GetParam() == "a" || GetParam() == "b") {
      cluster.crash_busd(GetParam());
      cluster.start_busd(GetParam());
    }
  }

  testing::Cluster cluster;
  Bus receiver;
  Bus elsewhere;
  Bus sender;
};

TEST_P(MixedVersions, MessagesCallsAndAMoveThroughACrash) {
  run(
      [this]() -> Task {
        co_await connect();
        std::vector<int> seen;
        const auto take = [&](Message& m) { seen.push_back(std::stoi(std::string(m.text()))); };
        const auto answer = [](Call& call) { EXPECT_TRUE(call.reply("here")); };
        Handlers handlers{.on_message = take, .on_call = answer};
        CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
        elsewhere.on_arrival("entity/", {.arrived = [&](Arrival&) {
                               return Handlers{.on_message = take, .on_call = answer};
                             }});
        // Not within a co_await expression: g++ 12 destroys temporaries there twice.
        const std::function<Bytes()> freeze = [] { return Bytes{}; };
        boost::asio::steady_timer timer(loop);
        constexpr int kMessages = 6'000;
        for (int i = 0; i < kMessages; ++i) {
          if (i == 2'000) crash_older_daemon();
          if (i == 4'000) {
            CO_OK(co_await receiver.move("entity/7", "a.elsewhere", freeze, use_awaitable));
          }
          SendOptions bulk;
          bulk.lane = Lane::bulk;
          while (!sender.send("entity/7", std::to_string(i), bulk)) {
            CO_OK(co_await sender.room("entity/7", Lane::bulk, use_awaitable));
          }
          if (i % 100 == 0) {
            timer.expires_after(1ms);
            co_await timer.async_wait(use_awaitable);
          }
        }
        CO_OK(co_await sender.flush(10s, use_awaitable));
        CallOptions options;
        const auto reply = co_await sender.call("entity/7", "?", options, use_awaitable);
        CO_OK(reply);
        std::vector<int> expected(kMessages);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(seen, expected);
        EXPECT_EQ(sender.counters().failed, 0U);
      },
      60s);
}

TEST_P(MixedVersions, ATracePassesThemAll) {
  run([this]() -> Task {
    co_await connect();
    Handlers handlers;
    CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
    std::optional<Result<HopTrace>> end;
    cluster.busd("a")->trace(channel_id("entity/7"), Lane::call,
                             [&](Result<HopTrace> trace) { end = std::move(trace); });
    cluster.busd("a")->flush();
    boost::asio::steady_timer timer(loop);
    while (!end) {
      timer.expires_after(1ms);
      co_await timer.async_wait(use_awaitable);
    }
    CO_OK(*end);
    EXPECT_EQ((*end)->end, TraceEnd::owner);
    EXPECT_EQ((*end)->hops.at((*end)->hops.size() / 2).where, "b.receiver");
  });
}

/// An owner that does not tell its age may have come just now: what a sender of the former one has
/// sent first is lost, and what follows is not.
TEST_P(MixedVersions, ANameThatLivesAgainIsHeard) {
  run([this]() -> Task {
    co_await connect();
    CO_OK(co_await receiver.bind("entity/7", kNoHandlers, use_awaitable));
    CO_OK(co_await sender.send_acknowledged("entity/7", {}, {}, use_awaitable));
    CO_OK(co_await receiver.close(1s, use_awaitable));
    CO_OK(co_await elsewhere.bind("entity/7", kNoHandlers, use_awaitable));
    boost::asio::steady_timer timer(loop, 100ms);
    co_await timer.async_wait(use_awaitable);
    const auto first = co_await sender.send_acknowledged("entity/7", {}, {}, use_awaitable);
    if (GetParam() == "a") {
      EXPECT_EQ(first.error(), Errc::owner_lost);
    } else {
      CO_OK(first);
    }
    CO_OK(co_await sender.send_acknowledged("entity/7", {}, {}, use_awaitable));
  });
}

INSTANTIATE_TEST_SUITE_P(Older, MixedVersions,
                         ::testing::Values("root", "a", "b", "sender", "receiver"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace starbus::bus
