/// The attacker: a host that was taken over. It has a valid key, so that busroot lets it in, and a
/// busd of its own making. It wants the names, the senders and the sessions of other hosts.
#include <gtest/gtest.h>

#include "bus/core/routers/limits.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_replies.hpp"
#include "tests/attack/attack_fixture.hpp"

namespace starbus::attack {
namespace {

using bus::Epoch;
using bus::Errc;
using namespace std::chrono_literals;

class TakenHost : public AttackTest {
 protected:
  /// The names that busroot refuses to a process of the attacker, of those that it asks for.
  boost::asio::awaitable<std::vector<std::string>> refused(Attacker& evil,
                                                           std::vector<std::string> names) {
    for (const std::string& name : names) evil.bind(name);
    const auto answered = [&] {
      return evil.heard<bus::Refused>().size() + evil.heard<bus::Attached>().size();
    };
    EXPECT_TRUE(co_await until([&] { return answered() == names.size(); }));
    std::vector<std::string> all;
    for (const bus::Refused& one : evil.heard<bus::Refused>()) all.push_back(one.name);
    co_return all;
  }
};

TEST_F(TakenHost, BindsNoNameThatTellsOfAnotherHost) {
  run([this]() -> Task {
    Bus victim(loop, cluster.node("a", "victim"));
    CO_OK(co_await victim.connect(use_awaitable));
    const auto evil = host();
    const std::vector<std::string> names = {"node/a.victim", "server/a.victim", "process/a.victim",
                                            "node/b.gate-1", "process/b.store"};
    EXPECT_EQ(co_await refused(*evil, names), names);
    const auto own = host({}, "own");
    const std::vector<std::string> own_names = {"node/own.n", "entity/1"};
    EXPECT_TRUE((co_await refused(*own, own_names)).empty());
  });
}

TEST_F(TakenHost, ARowOfAnOwnedNameGetsNoCalls) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    Bus caller(loop, cluster.node("a", "caller"));
    const auto bound = co_await serve_greeter(owner, caller);
    CO_OK(bound);
    const Epoch owned = bound->epoch;
    int number = 0;
    for (const Epoch claim : {Epoch::of(owned.term(), kHighest), Epoch::of(owned.term() + 9, 1),
                              owned, Epoch::of(owned.term(), owned.n() + 1)}) {
      const std::string name = "evil-" + std::to_string(++number);
      const auto evil = host({row("entity/greeter", claim)}, name);
      EXPECT_TRUE(co_await until([&] { return evil->welcome() || evil->closed(); }));
      EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?") << claim.to_string();
      EXPECT_TRUE(evil->messages().empty()) << claim.to_string();
    }
    EXPECT_EQ(owner.counters().connects, 1U);
  });
}

/// busroot restarts, and waits for the host of the owner: for the attacker it is the time to claim,
/// and to acknowledge.
TEST_F(TakenHost, IsNoOwnerWhileBusrootWaitsForTheOthers) {
  run(
      [this]() -> Task {
        Bus owner(loop, cluster.node("b", "owner"));
        Bus sender(loop, cluster.node("a", "sender"));
        CO_OK(co_await owner.connect(use_awaitable));
        CO_OK(co_await sender.connect(use_awaitable));
        int handled = 0;
        bus::Handlers handlers = echo();
        handlers.on_message = [&](bus::Message&) { ++handled; };
        const auto bound = co_await owner.bind("entity/greeter", handlers, use_awaitable);
        CO_OK(bound);
        CO_OK(sender.send("entity/greeter", "first"));
        EXPECT_TRUE(co_await until([&] { return sender.counters().acknowledged == 1; }));
        cluster.crash_busd("b");
        cluster.crash_root();
        cluster.start_root();
        CO_OK(sender.send("entity/greeter", "second"));
        const auto evil = host({row("entity/greeter", Epoch::of(1, kHighest))});
        EXPECT_TRUE(co_await until([&] { return evil->welcome(); }));
        for (const std::uint64_t last : {std::uint64_t{2}, ~std::uint64_t{0}}) {
          evil->say(bus::Ack{bus::Lane::call, sender.self(), bus::channel_id("entity/greeter"),
                             bound->epoch, last});
        }
        co_await pass(500ms);
        EXPECT_EQ(sender.counters().acknowledged, 1U);
        cluster.start_busd("b");
        EXPECT_TRUE(co_await until([&] { return handled == 2; }));
        EXPECT_EQ(co_await answer(sender, "entity/greeter"), "who is there?");
        EXPECT_TRUE(evil->messages().empty());
      },
      50s);
}

/// It reports the death of a process of another host, and asks in its name.
TEST_F(TakenHost, SpeaksForNoProcessOfAnotherHost) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    Bus caller(loop, cluster.node("a", "caller"));
    const auto bound = co_await serve_greeter(owner, caller);
    CO_OK(bound);
    const bus::ChannelId channel = bus::channel_id("entity/greeter");
    for (int attempt = 0; attempt < 4; ++attempt) {
      const auto evil = host({}, "evil-" + std::to_string(attempt));
      EXPECT_TRUE(co_await until([&] { return evil->welcome(); }));
      if (attempt == 0) evil->say(bus::ProcessDead{owner.self()});
      if (attempt == 1) evil->say(bus::Unbind{owner.self(), channel, bound->epoch});
      if (attempt == 2) evil->say(bus::ProcessUp{owner.self(), "owner", "node", 1});
      if (attempt == 3) evil->say(bus::Table{owner.self(), {}});
      co_await pass(100ms);
      EXPECT_EQ(co_await answer(caller, "entity/greeter"), "who is there?") << attempt;
    }
    EXPECT_EQ(owner.epoch("entity/greeter"), bound->epoch);
    EXPECT_EQ(owner.counters().connects, 1U);
  });
}

/// A word of the bus that a queue is full makes a sender wait.
TEST_F(TakenHost, HoldsNoSenderBackThatSendsElsewhere) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("b", "owner"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    bus::Handlers handlers = echo();
    CO_OK(co_await owner.bind("entity/greeter", handlers, use_awaitable));
    EXPECT_EQ(co_await answer(sender, "entity/greeter"), "who is there?");
    const auto evil = host();
    EXPECT_TRUE(co_await until([&] { return evil->welcome(); }));
    for (std::uint64_t seq = 1; seq <= as_many<std::uint64_t>(200, 20'000); ++seq) {
      for (const auto reason : {bus::NackReason::overflow, bus::NackReason::no_owner}) {
        bus::Nack nack;
        nack.lane = bus::Lane::call;
        nack.origin = sender.self();
        nack.channel = bus::channel_id("entity/greeter");
        nack.seq = seq;
        nack.reason = reason;
        evil->say(nack);
      }
    }
    co_await pass(200ms);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(co_await answer(sender, "entity/greeter"), "who is there?");
    }
    EXPECT_EQ(sender.counters().chokes, 0U);
    EXPECT_EQ(sender.counters().failed, 0U);
  });
}

/// Rows without an end of the table were a gigabyte of memory in six seconds.
TEST_F(TakenHost, ATableWithoutAnEndEndsItsOwnSessionOnly) {
  run([this]() -> Task {
    Bus victim(loop, cluster.node("a", "victim"));
    CO_OK(co_await victim.connect(use_awaitable));
    Attacker evil(loop, root_door());
    evil.enter_as_host("evil");
    EXPECT_TRUE(co_await until([&] { return evil.welcome(); }));
    Attacker endless(loop, root_door());
    bus::Hello hello;
    hello.minor = bus::kVersionMinor;
    hello.party = bus::PartyKind::busd;
    hello.name = "endless";
    hello.incarnation = 1;
    endless.say(hello);
    const bus::Process process{bus::host_id("endless"), bus::slot_id("n"), 1};
    endless.say(bus::ProcessUp{process, "n", "node", 1});
    const bus::Table page{process, std::vector<bus::Row>(1'000, row("x/1", Epoch::of(1, 1)))};
    for (std::size_t rows = 0; rows < 2 * bus::kMaxNamesPerHost && !endless.closed();
         rows += page.rows.size()) {
      endless.say(page);
      if (rows % 10'000 == 0) co_await pass(1ms);
    }
    EXPECT_TRUE(co_await until([&] { return endless.closed(); }));
    EXPECT_EQ(endless.reset(), Errc::too_many_names);
    EXPECT_EQ(victim.counters().connects, 1U);
    bus::Handlers handlers = echo();
    CO_OK(co_await victim.bind("entity/1", handlers, use_awaitable));
  });
}

/// Operators ask over the bus; numbers of questions are easy to guess.
TEST_F(TakenHost, AnswersNoQuestionThatAnotherHostWasAsked) {
  run([this]() -> Task {
    const auto asker = host({}, "asker");
    const auto asked = host({}, "asked");
    const auto evil = host();
    EXPECT_TRUE(
        co_await until([&] { return asker->welcome() && asked->welcome() && evil->welcome(); }));
    asker->say(bus::Query{"", 7, "asked", "/status"});
    EXPECT_TRUE(co_await until([&] { return asked->heard<bus::RoleQuery>().size() == 1; }));
    const auto lie = bus::as_bytes("{\"healthy\":true}");
    for (std::uint64_t number = 0; number < as_many<std::uint64_t>(100, 20'000); ++number) {
      evil->say(bus::Answer{"asker", number, 200, {lie.begin(), lie.end()}});
    }
    co_await pass(300ms);
    EXPECT_TRUE(asker->heard<bus::Answer>().empty());
    asked->say(bus::Answer{"asker", 7, 200, {}});
    EXPECT_TRUE(co_await until([&] { return asker->heard<bus::Answer>().size() == 1; }));
    EXPECT_FALSE(asker->closed());
  });
}

}  // namespace
}  // namespace starbus::attack
