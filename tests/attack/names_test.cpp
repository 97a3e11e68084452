/// The attacker: a node that was taken over, on host "a". It wants the names of others: their
/// calls, their acknowledgements, their place after a restart.
#include <gtest/gtest.h>

#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_replies.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "tests/attack/attack_fixture.hpp"

namespace starbus::attack {
namespace {

using bus::Epoch;
using bus::Errc;
using bus::RowState;
using namespace std::chrono_literals;

class TakenNames : public AttackTest {
 protected:
  /// busd "a" comes back and learns how many epochs were granted: it cannot know that one of them
  /// was another process'.
  boost::asio::awaitable<bool> busd_a_knows_all_grants() {
    cluster.crash_busd("a");
    cluster.start_busd("a");
    co_return co_await until([this] { return cluster.busd("a")->uplink().greeted; });
  }
};

/// It lists the channel in its table: its whole host would talk to it, also with an epoch that
/// busroot has granted to somebody.
TEST_F(TakenNames, ARowOfAnotherHostsChannelGetsNoCalls) {
  run(
      [this]() -> Task {
        Bus owner(loop, cluster.node("b", "owner"));
        Bus caller(loop, cluster.node("a", "caller"));
        const auto bound = co_await serve_greeter(owner, caller);
        CO_OK(bound);
        const Epoch owned = bound->epoch;
        EXPECT_TRUE(co_await busd_a_knows_all_grants());
        std::vector<Epoch> claims = {Epoch::of(owned.term(), kHighest), owned,
                                     Epoch::of(owned.term(), owned.n() + 1), Epoch::of(0, 7)};
        for (std::uint64_t n = 1; n <= as_many<std::uint64_t>(0, 200); ++n) {
          claims.push_back(Epoch::of(owned.term(), owned.n() + n * n));
        }
        for (const Epoch claim : claims) {
          const auto evil = node("evil", {row("entity/greeter", claim)});
          EXPECT_TRUE(co_await until([&] { return evil->welcome(); }));
          for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
          }
          EXPECT_TRUE(evil->messages().empty()) << claim.to_string();
          const auto refused =
              co_await caller.bind("entity/greeter", bus::kNoHandlers, use_awaitable);
          EXPECT_EQ(refused.error(), Errc::already_bound);
          EXPECT_NE(refused.error().detail.find("b.owner"), std::string::npos);
          evil->say(bus::Bye{});
          EXPECT_TRUE(co_await until([&] { return evil->closed(); }));
        }
      },
      limit_of(20s));
}

TEST_F(TakenNames, AnEpochThatWasNeverGrantedEndsTheAttackersSession) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    CO_OK(co_await owner.connect(use_awaitable));
    const auto evil = node("evil", {row("entity/x", Epoch::of(1, kHighest))});
    EXPECT_TRUE(co_await until([&] { return evil->closed(); }));
    EXPECT_EQ(evil->reset(), Errc::bad_bytes);
    EXPECT_EQ(owner.counters().connects, 1U);
  });
}

/// Daemons restart, and it is back before the owner is.
TEST_F(TakenNames, ARestartOfTheDaemonsGivesItNoNameByAMadeUpEpoch) {
  run(
      [this]() -> Task {
        Bus owner(loop, cluster.node("b", "owner"));
        Bus caller(loop, cluster.node("a", "caller"));
        CO_OK(co_await owner.connect(use_awaitable));
        CO_OK(co_await caller.connect(use_awaitable));
        bus::Handlers handlers = echo();
        CO_OK(co_await owner.bind("entity/greeter", handlers, use_awaitable));
        cluster.crash_root();
        cluster.crash_busd("a");
        cluster.start_root();
        cluster.start_busd("a");
        const auto evil = node("evil", {row("entity/greeter", Epoch::of(1, kHighest))});
        EXPECT_TRUE(co_await until([&] { return evil->welcome() || evil->closed(); }));
        EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
        EXPECT_TRUE(evil->messages().empty());
      },
      40s);
}

/// It lists the channel as its frozen copy, which may reply for it, and acknowledges all that was
/// and will be sent: the sender would forget what nobody has handled.
TEST_F(TakenNames, AMadeUpFrozenCopyAcknowledgesNothing) {
  run(
      [this]() -> Task {
        Bus owner(loop, cluster.node("b", "owner"));
        Bus sender(loop, cluster.node("a", "sender"));
        CO_OK(co_await owner.connect(use_awaitable));
        CO_OK(co_await sender.connect(use_awaitable));
        std::vector<std::string> handled;
        bus::Handlers handlers;
        handlers.on_message = [&](bus::Message& message) { handled.emplace_back(message.text()); };
        const auto bound = co_await owner.bind("entity/greeter", handlers, use_awaitable);
        CO_OK(bound);
        CO_OK(sender.send("entity/greeter", "first"));
        EXPECT_TRUE(co_await until([&] { return sender.counters().acknowledged == 1; }));
        EXPECT_TRUE(co_await busd_a_knows_all_grants());
        cluster.crash_busd("b");
        CO_OK(sender.send("entity/greeter", "second"));
        for (const RowState state : {RowState::frozen, RowState::attaching}) {
          const auto evil = node("evil");
          const bus::Process self{evil->self().host, bus::slot_id("copy"), 1};
          const bool frozen = state == RowState::frozen;
          const bus::Ticket ticket{frozen ? self : owner.self(), frozen ? owner.self() : self, 9};
          const auto copy = node("copy", {row("entity/greeter", bound->epoch, state, ticket)});
          EXPECT_TRUE(co_await until([&] { return copy->welcome() && evil->welcome(); }));
          for (const std::uint64_t last : {std::uint64_t{2}, ~std::uint64_t{0}}) {
            for (const auto& liar : {copy.get(), evil.get()}) {
              liar->say(bus::Ack{bus::Lane::call, sender.self(), bus::channel_id("entity/greeter"),
                                 bound->epoch, last});
            }
          }
          co_await pass(300ms);
          EXPECT_EQ(sender.counters().acknowledged, 1U);
        }
        cluster.start_busd("b");
        EXPECT_TRUE(co_await until([&] { return handled.size() == 2; }));
        const std::vector<std::string> both = {"first", "second"};
        EXPECT_EQ(handled, both);
        EXPECT_TRUE(co_await until([&] { return sender.counters().acknowledged == 2; }));
      },
      40s);
}

/// Requests that name another process as the one that asks.
TEST_F(TakenNames, ItBindsAndFreesNothingInTheNameOfOthers) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus caller(loop, cluster.node("b", "caller"));
    const auto bound = co_await serve_greeter(owner, caller);
    CO_OK(bound);
    const bus::ChannelId channel = bus::channel_id("entity/greeter");
    const auto own = node("evil-1");
    own->say(bus::Unbind{own->self(), channel, bound->epoch});
    const auto others = node("evil-2");
    others->say(bus::Unbind{owner.self(), channel, bound->epoch});
    EXPECT_TRUE(co_await until([&] { return others->closed(); }));
    EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?");
    EXPECT_EQ(owner.epoch("entity/greeter"), bound->epoch);
    EXPECT_FALSE(own->closed()) << "it has asked for what does not concern it";
  });
}

/// Requests of a move that nobody has begun, with tickets of its own making.
TEST_F(TakenNames, AMadeUpTicketMovesNothing) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    Bus caller(loop, cluster.node("a", "caller"));
    const auto bound = co_await serve_greeter(owner, caller);
    CO_OK(bound);
    const bus::ChannelId channel = bus::channel_id("entity/greeter");
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto evil = node("evil-" + std::to_string(attempt));
      EXPECT_TRUE(co_await until([&] { return evil->welcome(); }));
      const bus::Ticket stolen{owner.self(), evil->self(), 7};
      const bus::Ticket own{evil->self(), caller.self(), 7};
      if (attempt == 0) evil->say(bus::Attach{evil->self(), "entity/greeter", stolen});
      if (attempt == 1) evil->say(bus::Move{evil->self(), channel, bound->epoch, own});
      if (attempt == 2) evil->say(bus::Reclaim{evil->self(), "entity/greeter", own});
      if (attempt == 3) evil->say(bus::Freed{evil->self(), channel, own});
      if (attempt == 4) evil->say(bus::Active{evil->self(), channel, bound->epoch});
      co_await pass(100ms);
      EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?") << attempt;
      EXPECT_TRUE(evil->messages().empty()) << attempt;
      EXPECT_FALSE(evil->granted("entity/greeter")) << attempt;
    }
    EXPECT_EQ(owner.epoch("entity/greeter"), bound->epoch);
  });
}

/// A made-up trace of the way to another's channel would show operators a wrong route.
TEST_F(TakenNames, ItTracesNoRouteOfAnothersChannel) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    CO_OK(co_await owner.connect(use_awaitable));
    const auto bound = co_await owner.bind("entity/greeter", bus::kNoHandlers, use_awaitable);
    CO_OK(bound);
    const auto watcher = host({}, "watcher");
    const auto evil = node("evil");
    EXPECT_TRUE(co_await until([&] { return evil->welcome() && watcher->welcome(); }));
    for (std::uint64_t number = 1; number < as_many<std::uint64_t>(1'000, 50'000); ++number) {
      bus::HopTrace trace;
      trace.host = bus::host_id("watcher");
      trace.number = number;
      trace.channel = bus::channel_id("entity/greeter");
      trace.end = bus::TraceEnd::owner;
      trace.hops = {{"a", 1, 0}, {"a.evil", 2, 0}};
      evil->say(trace);
    }
    co_await pass(300ms);
    EXPECT_TRUE(watcher->heard<bus::HopTrace>().empty());
  });
}

class TakenNodeNames : public UserAttackTest {
 protected:
  static constexpr std::uint32_t kGate = 2'001;
  static constexpr std::uint32_t kOther = 2'002;
  static bus::AccessList roles() {
    bus::Role all{.name = "node", .users = {0}, .groups = {}, .bind = {""}, .send = {""}};
    all.nodes = {"*", "store"};
    bus::Role gate{.name = "gate", .users = {kGate}, .groups = {}, .bind = {""}, .send = {""}};
    gate.nodes = {"gate-*"};
    bus::Role other{.name = "other", .users = {kOther}, .groups = {}, .bind = {""}, .send = {""}};
    return bus::AccessList({all, gate, other});
  }
  TakenNodeNames() : UserAttackTest(roles()) {}
};

/// It waits for the restart of a gate or of the mail store, to be there first.
TEST_F(TakenNodeNames, NamesOfAnotherRoleAreNotForTheFirstToCome) {
  run([this]() -> Task {
    for (const char* name : {"store", "gate-1"}) {
      const auto evil = node(name, {}, kOther);
      EXPECT_TRUE(co_await until([&] { return evil->closed(); })) << name;
      EXPECT_EQ(evil->reset(), Errc::denied) << name;
    }
    const auto gate = node("gate-1", {}, kGate);
    EXPECT_TRUE(co_await until([&] { return gate->welcome(); }));
    Bus store(loop, cluster.node("a", "store"));
    CO_OK(co_await store.connect(use_awaitable));
  });
}

/// The incarnation of the victim is in every watch row.
TEST_F(TakenNodeNames, ALivingSessionIsNotTakenOver) {
  run([this]() -> Task {
    Bus victim(loop, cluster.node("a", "victim"));
    CO_OK(co_await victim.connect(use_awaitable));
    for (const std::uint64_t more : {0U, 1U, 1000U}) {
      const auto evil = std::make_unique<Attacker>(loop, door("a"), kOther);
      evil->enter_as_node("a", "victim", {}, victim.self().incarnation + more);
      EXPECT_TRUE(co_await until([&] { return evil->closed(); }));
      EXPECT_EQ(evil->reset(), Errc::name_taken);
    }
    EXPECT_EQ(victim.counters().connects, 1U);
    bus::Handlers handlers = echo();
    CO_OK(co_await victim.bind("entity/mine", handlers, use_awaitable));
  });
}

}  // namespace
}  // namespace starbus::attack
