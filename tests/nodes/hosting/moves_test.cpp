/// Entities that move between the hosts of two nodes: with their messages, timers and questions.
#include <gmock/gmock.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "nodes/hosting/properties_copy.hpp"
#include "nodes/replica/mirror.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/town.hpp"
#include "tests/nodes/hosting/trader.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::Audience;
using entity::EntityState;
using entity::OnlineId;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// Stands for gates: has a copy for each audience of the one entity, as its build declares it.
template <class State>
class Watchers final : public AudienceSink {
 public:
  void news(const entity::Entity&, Audience audience, bus::ByteView bytes) override {
    const bool delta = bytes.front() == std::byte{0xd2};
    std::string line(name_of(view_of(audience)));
    auto& copy = copies[audience];
    if (!copy) {
      copy = std::make_unique<State>();
      copy->become_replica(audience);
    }
    const auto taken = delta ? copy->apply_delta(bytes) : copy->apply_snapshot(bytes);
    line += delta ? " delta" : " all";
    lines.push_back(taken ? line : line + ' ' + taken.error().to_string());
    if (then) std::exchange(then, {})();
  }
  void gone(const entity::Entity&, entity::EndReason reason) override {
    lines.push_back("gone " + std::string(entity::name_of(reason)));
  }
  std::vector<std::string> lines;
  std::map<Audience, std::unique_ptr<State>> copies;
  std::function<void()> then;  // called once, behind the first news
};

class EntityMoves : public bus::LoopTest {
 protected:
  EntityMoves() { diary = &notes; }

  boost::asio::awaitable<bool> begin(bool mirrored = false) {
    x->host.declare<Trader>({.mirrored = mirrored});
    for (Town* town : {x.get(), y.get()}) {
      const auto connected = co_await town->bus.connect(use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await town->endpoint.ready(use_awaitable);
      if (!ready) co_return false;
    }
    const auto bound = co_await y->endpoint.bind("service/bank", bank, use_awaitable);
    trader = x->host.entities().create<Trader>().value();
    std::optional<bool> published;
    x->host.publish(*trader, [&](const bus::Result<>& done) { published = done.has_value(); });
    const bool come = co_await until([&] { return published.has_value(); });
    notes.lines.clear();
    co_return bound.has_value() && come&&* published;
  }
  /// Where it is after that; an error's text.
  boost::asio::awaitable<std::string> move(Town& from, const char* to) {
    auto result = std::make_shared<std::optional<bus::Result<>>>();
    from.host.move(*from.host.entities().find_as<entity::Entity>(OnlineId{1}), to,
                   [result](bus::Result<> done) { *result = std::move(done); });
    const bool ended = co_await until([&] { return result->has_value(); });
    if (!ended) co_return "it has not ended";
    const bool moved = (*result)->has_value();
    co_return moved ? std::string("moved") : (*result)->error().to_string();
  }
  boost::asio::awaitable<bool> there_and_back(int moves) {
    for (int i = 0; i < moves; ++i) {
      const bool out = i % 2 == 0;
      const std::string end = co_await move(out ? *x : *y, out ? "b.y" : "a.x");
      EXPECT_EQ(end, "moved");
      if (end != "moved") co_return false;
    }
    co_return true;
  }

  std::string last() const { return notes.lines.empty() ? "" : notes.lines.back(); }

  Diary notes;
  Bank bank;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(2'000)}};
  std::unique_ptr<Town> x = std::make_unique<Town>(loop, cluster.node("a", "x"), 0);
  std::unique_ptr<Town> y = std::make_unique<Town>(loop, cluster.node("b", "y"), 100);
  Trader* trader = nullptr;
};

TEST_F(EntityMoves, AnAnswerFindsWhoeverAskedAndHasMovedOnce) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const auto asked = trader->ask<&Bank::balance, &Trader::told>(
        x->endpoint, "service/bank", {.deadline = 10s}, std::tuple("balance"), 7);
    EXPECT_TRUE(asked);
    const bool there = co_await until([&] { return bank.asked == 1; });
    EXPECT_TRUE(there);
    const bool moved = co_await there_and_back(3);
    EXPECT_TRUE(moved);
    EXPECT_EQ(x->host.entities().size(), 0U);
    bank.closed = false;
    const bool told = co_await until([&] { return last() == "balance 70"; });
    EXPECT_TRUE(told);
    const auto flushed = co_await y->bus.flush(5s, use_awaitable);
    EXPECT_TRUE(flushed);
    EXPECT_EQ(std::ranges::count(notes.lines, "balance 70"), 1);
    EXPECT_EQ(y->endpoint.counters().answers, 1U);
    EXPECT_EQ(y->host.counters().moved_in, 2U);
    EXPECT_EQ(x->host.counters().moved_out, 2U);
  });
}

TEST_F(EntityMoves, HooksRunInTheirOrderAndPropertiesAreThere) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    trader->state.gold = 41;
    const std::string end = co_await move(*x, "b.y");
    EXPECT_EQ(end, "moved");
    const bool gone = co_await until([&] { return x->host.entities().size() == 0; });
    EXPECT_TRUE(gone);
    EXPECT_THAT(notes.lines, ElementsAre("before", "after", "active", "final moved"));
    const auto gold = co_await rpc::call<&Trader::gold>(x->endpoint, "entity/1", {});
    EXPECT_TRUE(gold && *gold == 41);
    y->host.lose_all();
    EXPECT_EQ(y->host.counters().fenced, 1U) << "it has a name here that can be lost";
  });
}

TEST_F(EntityMoves, ATimerFiresOnceInItsTimeThroughTenMoves) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(trader->run_later<&Trader::rang>({.first = 1s}, "bell"));
    const bool moved = co_await there_and_back(10);
    EXPECT_TRUE(moved);
    const auto rings = [&] { return std::ranges::count(notes.lines, "rang bell"); };
    const bool rang = co_await until([&] { return rings() > 0; });
    EXPECT_TRUE(rang);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 990ms) << "the cluster's clock may slew";
    const bool again = co_await until(100ms, [&] { return rings() > 1; });
    EXPECT_FALSE(again);
  });
}

TEST_F(EntityMoves, TwentyMovesUnderAStreamOfCallsLoseAndDoubleNothing) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    bus::Bus sender(loop, cluster.node("b", "sender"));
    rpc::Endpoint endpoint(sender);
    CO_OK(co_await sender.connect(use_awaitable));
    bool moved = false;
    bool sound = false;
    boost::asio::co_spawn(
        loop,
        [&]() -> Task {
          sound = co_await there_and_back(20);
          moved = true;
        },
        boost::asio::detached);
    int sent = 0;
    boost::asio::steady_timer pause(loop);
    while (!moved) {
      if (rpc::send<&Trader::say>(endpoint, "entity/1", {}, sent)) ++sent;
      pause.expires_after(200us);
      co_await pause.async_wait(use_awaitable);
    }
    EXPECT_TRUE(sound);
    const auto flushed = co_await sender.flush(5s, use_awaitable);
    EXPECT_TRUE(flushed);
    std::vector<int> expected(static_cast<std::size_t>(sent));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(notes.said, expected);
    EXPECT_GT(sent, 20);
  });
}

TEST_F(EntityMoves, WhatIsRefusedStaysAndItsTimersGoOn) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(trader->run_later<&Trader::rang>({.first = 10ms}, "bell"));
    std::string end = co_await move(*x, "b.y");
    EXPECT_EQ(end,
              "move_refused: unknown_type: trader: not declared in this process; declare<T>() its "
              "class at start-up");
    EXPECT_EQ(trader->life(), EntityState::alive);
    const bool rang = co_await until([&] { return last() == "rang bell"; });
    EXPECT_TRUE(rang);
    EXPECT_THAT(notes.lines, ElementsAre("before", "back", "rang bell"));
    end = co_await move(*x, "b.nobody");
    EXPECT_EQ(end.substr(0, 8), "no_owner") << end;
    notes.stays = true;
    end = co_await move(*x, "b.y");
    EXPECT_NE(end.find("no wish to"), std::string::npos) << end;
    EXPECT_EQ(trader->life(), EntityState::alive);
    const auto gold = co_await rpc::call<&Trader::gold>(y->endpoint, "entity/1", {});
    EXPECT_TRUE(gold && *gold == 3);
    EXPECT_EQ(x->host.counters().moves_failed, 3U);
    EXPECT_EQ(y->host.counters().arrivals_refused, 2U);
    EXPECT_EQ(y->host.entities().size(), 0U);
  });
}

TEST_F(EntityMoves, AStepThatTheTargetDoesNotKnowStaysToo) {
  y->host.declare<NewTrader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const auto asked = trader->ask<&Bank::balance, &Trader::told>(
        x->endpoint, "service/bank", {.deadline = 10s}, std::tuple("balance"), 7);
    EXPECT_TRUE(asked);
    const std::string end = co_await move(*x, "b.y");
    EXPECT_EQ(end.substr(0, 26), "move_refused: unknown_step") << end;
    bank.closed = false;
    const bool told = co_await until([&] { return last() == "balance 70"; });
    EXPECT_TRUE(told);
  });
}

TEST_F(EntityMoves, AnotherBuildTakesThePropertiesByName) {
  y->host.declare<NewTrader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    trader->state.gold = 41;
    EXPECT_TRUE(trader->run_later<&Trader::rang>({.first = 1ms}, "bell"));
    const std::string end = co_await move(*x, "b.y");
    EXPECT_EQ(end, "moved");
    auto* arrived = y->host.entities().find_as<NewTrader>(OnlineId{1});
    EXPECT_NE(arrived, nullptr);
    if (arrived == nullptr) co_return;
    EXPECT_EQ(arrived->state.gold, 41);
    EXPECT_EQ(arrived->state.guild.get(), "none");
    const bool rang = co_await until([&] {
      return std::ranges::any_of(notes.lines, [](const auto& line) {
        return line == "new rang bell" || line == "rang bell";
      });
    });
    EXPECT_TRUE(rang);
  });
}

TEST_F(EntityMoves, WhoWatchesItIsToldAllByTheOtherBuildToo) {
  Watchers<TraderState> here;
  Watchers<NewTraderState> there;
  x.reset();
  y.reset();
  x = std::make_unique<Town>(loop, cluster.node("a", "x"), 0, &here);
  y = std::make_unique<Town>(loop, cluster.node("b", "y"), 100, &there);
  y->host.declare<NewTrader>();
  run([&, this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    for (const Audience each : {Audience::own_client, Audience::other_clients, Audience::ghost}) {
      EXPECT_TRUE(x->host.watch(*trader, each));
    }
    here.lines.clear();
    trader->state.gold = 41;
    const std::string end = co_await move(*x, "b.y");
    EXPECT_EQ(end, "moved");
    const bool gone = co_await until([&] { return x->host.entities().size() == 0; });
    EXPECT_TRUE(gone);
    EXPECT_THAT(here.lines, ElementsAre("ghost delta", "other_clients delta", "own_client delta",
                                        "gone moved"));
    EXPECT_THAT(there.lines, ElementsAre("ghost all", "other_clients all", "own_client all"));
    auto* arrived = y->host.entities().find_as<NewTrader>(OnlineId{1});
    EXPECT_NE(arrived, nullptr);
    if (arrived == nullptr || there.copies.size() != 3) co_return;
    for (const auto& [audience, copy] : there.copies) EXPECT_EQ(copy->gold, 41);
    there.lines.clear();
    arrived->state.gold = 42;
    const bool told = co_await until([&] { return there.lines.size() >= 3; });
    EXPECT_TRUE(told);
    EXPECT_THAT(there.lines, ElementsAre("ghost delta", "other_clients delta", "own_client delta"));
    for (const auto& [audience, copy] : there.copies) EXPECT_EQ(copy->gold, 42);
    // Those who had it from here can tell that these are other numbers.
    const auto& before = *here.copies.at(Audience::own_client);
    EXPECT_NE(before.version(Audience::own_client).lineage,
              arrived->state.version(Audience::own_client).lineage);
  });
  x.reset();
  y.reset();
}

TEST_F(EntityMoves, ATargetThatDiesLeavesItWhereItWas) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    std::optional<bool> moved;
    x->host.move(*trader, "b.y", [&](const bus::Result<>& done) { moved = done.has_value(); });
    y.reset();
    const bool ended = co_await until([&] { return moved.has_value(); });
    EXPECT_TRUE(ended && !*moved);
    EXPECT_EQ(trader->life(), EntityState::alive);
    EXPECT_TRUE(trader->run_later<&Trader::rang>({.first = 1ms}, "bell"));
    const bool rang = co_await until([&] { return last() == "rang bell"; });
    EXPECT_TRUE(rang);
  });
}

TEST_F(EntityMoves, WhatATargetToldBeforeItDiedIsOfAnotherLineage) {
  Watchers<TraderState> here;
  Watchers<TraderState> there;
  // The source waits for its target longer than the lease of the other tests lasts.
  starbus::testing::Cluster patient(loop, {.hosts = {"a", "b"}});
  x.reset();
  y.reset();
  x = std::make_unique<Town>(loop, patient.node("a", "x"), 0, &here);
  y = std::make_unique<Town>(loop, patient.node("b", "y"), 100, &there);
  y->host.declare<Trader>({.mirrored = true});
  TraderState state;
  PropertiesCopy copy(state);
  bus::Bus mirrors(loop, patient.node("b", "mirrors"));
  rpc::Endpoint endpoint(mirrors);
  MainLoop main(loop);
  run([&, this]() -> Task {
    const bool begun = co_await begin(true);
    EXPECT_TRUE(begun);
    CO_OK(co_await mirrors.connect(use_awaitable));
    replica::Mirror mirror(endpoint, main.timers(), "entity/1", copy);
    EXPECT_TRUE(x->host.watch(*trader, Audience::own_client));
    trader->state.gold = 41;
    const bool mirrored = co_await until([&] { return state.gold.get() == 41; });
    EXPECT_TRUE(mirrored);
    // It lives at the target and tells those who are near; the target dies before the source has
    // heard of that.
    there.then = [&] {
      here.lines.clear();
      patient.crash_root();
    };
    std::optional<bus::Result<>> end;
    x->host.move(*trader, "b.y", [&](bus::Result<> done) { end = std::move(done); });
    const bool lived = co_await until([&] { return mirror.counters().streams == 2; });
    EXPECT_TRUE(lived);
    EXPECT_EQ(state.gold, 41);
    y.reset();
    patient.start_root();
    const bool ended = co_await until([&] { return end.has_value(); });
    EXPECT_TRUE(ended);
    if (!ended || !there.copies.contains(Audience::own_client)) co_return;
    EXPECT_EQ(end->error(), bus::Errc::rolled_back) << end->error().to_string();
    const TraderState& told = *there.copies.at(Audience::own_client);
    EXPECT_EQ(told.gold, 41);
    const bool all = co_await until(1s, [&] { return here.lines.size() >= 2; });
    EXPECT_TRUE(all);
    EXPECT_THAT(here.lines, ElementsAre("ghost all", "own_client all"));
    trader->state.gold = 42;
    EXPECT_NE(told.version(Audience::own_client).lineage,
              trader->state.version(Audience::own_client).lineage);
    const bool goes_on = co_await until([&] { return state.gold.get() == 42; });
    EXPECT_TRUE(goes_on) << "mirrors follow it back";
  });
  x.reset();
  y.reset();
}

TEST_F(EntityMoves, ADrainWaitsForThoseThatLeave) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    std::vector<std::string> ends;
    x->host.move(*trader, "b.y",
                 [&](const bus::Result<>& done) { ends.emplace_back(done ? "moved" : "stays"); });
    x->host.drain([&](const bus::Result<>&) { ends.emplace_back("drained"); });
    EXPECT_EQ(x->host.waits_for(), "1 to move");
    const bool ended = co_await until([&] { return ends.size() == 2; });
    EXPECT_TRUE(ended);
    EXPECT_THAT(ends, ElementsAre("moved", "drained"));
    EXPECT_EQ(y->host.entities().size(), 1U);
    // And nobody comes in any more.
    const std::string refused = co_await move(*y, "a.x");
    EXPECT_EQ(refused, "move_refused: the node drains");
  });
}

TEST_F(EntityMoves, ADrainEndsWhoHasNotLeftAfterItsMoveHasToldSo) {
  y->host.declare<Trader>();
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    std::optional<EntityState> told;
    bool drained = false;
    x->host.move(*trader, "b.y", [&](const bus::Result<>& done) {
      const auto* const here = x->host.entities().find_here(OnlineId{1});
      told = !done && here != nullptr ? here->life() : EntityState::ending;
    });
    x->host.drain([&](const bus::Result<>&) { drained = true; });
    y.reset();
    const bool ended = co_await until([&] { return drained; });
    EXPECT_TRUE(ended);
    EXPECT_EQ(told, EntityState::alive);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
