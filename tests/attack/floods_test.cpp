/// The attacker: a node that was taken over, with many sessions, on host "a". It wants its
/// neighbours to lose their sessions, their names or their turn, by asking for too much.
#include <gtest/gtest.h>

#include "bus/core/limits.hpp"
#include "bus/core/wire/record_replies.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "tests/attack/attack_fixture.hpp"

namespace starbus::attack {
namespace {

using bus::Epoch;
using bus::Errc;
using namespace std::chrono_literals;

class Floods : public UserAttackTest {
 protected:
  static constexpr std::uint32_t kEvil = 2'001;
  const std::size_t sessions = as_many<std::size_t>(6, 24);

  /// Honest processes on both hosts, and the attacker's sessions.
  boost::asio::awaitable<bool> begin() {
    const auto bound = co_await serve_greeter(owner, caller);
    for (std::size_t i = 0; i < sessions; ++i) evil.push_back(node(name(i), {}, kEvil));
    const auto in = co_await until([this] {
      return std::ranges::all_of(evil, [](const auto& one) { return one->welcome(); });
    });
    co_return bound.has_value() && in;
  }
  static std::string name(std::size_t i) { return "evil-" + std::to_string(i); }
  /// Nobody honest has lost a session, and calls and new names are served.
  Task expect_neighbours_served() {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
    }
    bus::Handlers handlers = echo();
    const std::string mine = "entity/mine-" + std::to_string(++bound_);
    CO_OK(co_await caller.bind(mine, handlers, use_awaitable));
    EXPECT_EQ(owner.counters().connects, 1U);
    EXPECT_EQ(caller.counters().connects, 1U);
    EXPECT_TRUE(cluster.busd("a")->uplink().greeted);
    EXPECT_EQ(cluster.busd("a")->uplink().since, uplink_since_);
  }
  Task note_uplink() {
    EXPECT_TRUE(co_await until([this] { return cluster.busd("a")->uplink().greeted; }));
    uplink_since_ = cluster.busd("a")->uplink().since;
  }

  Bus owner{loop, cluster.node("b", "owner")};
  Bus caller{loop, cluster.node("a", "caller")};
  std::vector<std::unique_ptr<Attacker>> evil;

 private:
  int bound_ = 0;
  bus::Time uplink_since_{};
};

/// Acknowledgements of what was never sent went first, and their number ended the link of the host.
TEST_F(Floods, OfFalseAcknowledgementsEndNoLinkOfTheHost) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        co_await note_uplink();
        for (int round = 0; round < as_many(30, 100); ++round) {
          for (const auto& one : evil) {
            const bus::Ack ack{bus::Lane::call, owner.self(), one->self().channel(),
                               Epoch::of(1, 1), 1};
            for (int n = 0; n < 1'000; ++n) one->say(ack);
          }
          co_await pass(2ms);
          EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
        }
        co_await expect_neighbours_served();
      },
      limit_of(60s));
}

/// Watched and unwatched again, and binds of names that it never wants.
TEST_F(Floods, OfRequestsLeaveRoomForThoseOfOthers) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        co_await note_uplink();
        std::uint64_t number = 0;
        for (int round = 0; round < as_many(10, 50); ++round) {
          for (const auto& one : evil) {
            for (int n = 0; n < 300; ++n) {
              const std::string junk = std::string(200, 'x') + std::to_string(n);
              one->say(bus::Bind{one->self(), ++number, "junk/" + junk + std::to_string(round)});
              one->say(bus::Watch{junk});
              one->say(bus::Unwatch{junk});
            }
          }
          co_await pass(2ms);
        }
        co_await expect_neighbours_served();
      },
      limit_of(60s));
}

/// It sends to sessions of its own that take nothing.
TEST_F(Floods, OfMessagesThatNobodyTakesDelayNoNeighbour) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        co_await note_uplink();
        const std::string body(50'000, 'x');
        for (std::size_t i = 1; i < sessions; ++i) evil[i]->deafen();
        std::uint64_t seq = 0;
        for (int round = 0; round < as_many(200, 1'000); ++round) {
          for (std::size_t to = 1; to < sessions; ++to) {
            evil[0]->say_message("process/a." + name(to), bus::as_bytes(body), ++seq);
          }
          if (round % 20 == 0) {
            EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
          }
        }
        co_await expect_neighbours_served();
      },
      limit_of(60s));
}

/// Each identity that it makes up costs the victims a row, and its host a line of the journal.
TEST_F(Floods, OfHellosAreRefusedToTheUserWhoSaysThem) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        co_await note_uplink();
        std::vector<std::unique_ptr<Attacker>> hellos;
        for (int round = 0; round < as_many(1, 20); ++round) {
          hellos.clear();
          for (std::size_t i = 0; i < 1'200; ++i) {
            hellos.push_back(node("more-" + std::to_string(i), {}, kEvil));
            if (i % 100 == 99) co_await pass(1ms);
          }
          EXPECT_TRUE(co_await until([&] {
            return std::ranges::all_of(
                hellos, [](const auto& one) { return one->welcome() || one->closed(); });
          }));
        }
        Bus late(loop, cluster.node("a", "late"));
        CO_OK(co_await late.connect(use_awaitable));
        co_await expect_neighbours_served();
      },
      limit_of(60s));
}

/// A kind that all nodes watch grows beyond what a watch shows: its watchers were ended.
TEST_F(Floods, OfNamesAreRefusedAndNoWatchIs) {
  constexpr std::uint64_t kPerSession = 30'000;
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        co_await note_uplink();
        std::size_t seen = 0;
        std::vector<bus::Error> refusals;
        const auto watch = owner.watch(
            "node/", [&](const bus::WatchUpdate& update) { seen += update.changes.size(); },
            [&](const bus::Error& why) { refusals.push_back(why); });
        CO_OK(watch);
        bus::Handlers handlers = echo();
        CO_OK(co_await owner.bind("node/b.owner", handlers, use_awaitable));
        evil.clear();
        std::uint64_t made_up = 0;
        for (std::size_t i = 0; i < 5; ++i) {
          std::vector<bus::Row> rows;
          for (std::uint64_t n = 0; n < kPerSession; ++n) {
            ++made_up;
            ++made_up;
            rows.push_back(row("node/x" + std::to_string(made_up), Epoch::of(0, made_up)));
          }
          evil.push_back(node("many-" + std::to_string(i), rows, kEvil));
        }
        co_await pass(3s);
        CO_OK(co_await caller.bind("node/a.caller", handlers, use_awaitable));
        EXPECT_TRUE(refusals.empty());
        const std::size_t before = seen;
        CO_OK(co_await caller.unbind("node/a.caller", use_awaitable));
        EXPECT_TRUE(co_await until([&] { return seen > before; }));
        co_await expect_neighbours_served();
      },
      limit_of(90s));
}

}  // namespace
}  // namespace starbus::attack
