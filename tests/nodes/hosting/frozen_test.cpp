/// Entities that move while they are busy: what waits, what is refused, and what happens once.
#include "tests/nodes/hosting/two_towns.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::Task;
using entity::OnlineId;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// The moment in which the state of the one that moves is packed: nothing more of it may run here.
class BusyMoves : public TwoTowns {
 protected:
  boost::asio::awaitable<bool> begin() {
    const bool connected = co_await connect();
    if (!connected) co_return false;
    digger = co_await settle_one(*x);
    if (digger != nullptr) id = digger->online_id();
    co_return digger != nullptr;
  }
  /// Another process may bind it, soon.
  boost::asio::awaitable<bool> frees(std::string name) {
    for (int tries = 0; tries < 2'000; ++tries) {
      const auto bound = co_await y->endpoint.bind(name, market, boost::asio::use_awaitable);
      if (bound) co_return true;
      co_await turn();
    }
    co_return false;
  }
  Digger* digger = nullptr;
  OnlineId id{};
};

TEST_F(BusyMoves, AMoveWaitsForItsCoroutinesAndEachAnswersOnce) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    int answers = 0;
    for (const int job : {1, 2, 3, 4}) {
      rpc::call<&Digger::work>(x->endpoint, "entity/1", {}, job)(
          [&answers](const auto& reply) { answers += reply.has_value() ? 1 : 100; });
    }
    while (digger->rpc_under_way() == 0 && answers < 4) co_await turn();
    const std::string end = co_await ended(start_move(*digger, *y));
    EXPECT_EQ(end, "moved");
    const bool answered = co_await until([&] { return answers >= 4; });
    EXPECT_TRUE(answered);
    EXPECT_EQ(answers, 4);
    for (const int job : {1, 2, 3, 4}) EXPECT_EQ(all.done[job], 1) << job;
    EXPECT_EQ(gold_of_the_world(), whole);
    EXPECT_EQ(x->host.counters().left_behind, 0U);
  });
}

/// At each moment of its move: its name may not stay with a process in which nobody is left.
TEST_F(BusyMoves, TheNameOfOneThatEndsMeanwhileIsFreeForOthers) {
  run([this]() -> Task {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    int ends = 0;
    for (int turns = 0; ends < 3; ++turns) {
      Digger* const moving = co_await settle_one(*x);
      EXPECT_NE(moving, nullptr);
      if (moving == nullptr) break;
      const OnlineId one = moving->online_id();
      const End end = start_move(*moving, *y);
      for (int i = 0; i < turns && end->empty(); ++i) co_await turn();
      Digger* const here = x->host.entities().find_as<Digger>(one);
      if (here == nullptr) ++ends;  // packed, or moved: the next ones are, too
      if (here != nullptr) here->destroy();
      const std::string how = co_await ended(end);
      if (here == nullptr) continue;
      EXPECT_NE(how, "moved") << turns;
      const bool free = co_await frees(EntityHost::channel_of(one));
      EXPECT_TRUE(free) << "after " << turns << " turns";
      if (!free) break;
    }
  });
}

TEST_F(BusyMoves, WithoutTimeToWaitItIsBusyAndNamesThem) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    bool open = false;
    auto waits = [](Digger& self, boost::asio::io_context& its_loop, bool& gate) -> rpc::Task<> {
      boost::asio::steady_timer timer(its_loop);
      while (!gate) {
        timer.expires_after(1ms);
        co_await timer.async_wait(boost::asio::deferred);
      }
      self.take(1);
    };
    EXPECT_TRUE(rpc::spawn(x->endpoint, *digger, waits(*digger, loop, open)));
    std::string end = co_await ended(start_move(*digger, *y, {.wait = 0ms}));
    EXPECT_THAT(end, HasSubstr("1 coroutines or calls: coroutine of test_digger"));
    EXPECT_EQ(end.substr(0, 4), "busy");
    end = co_await ended(start_move(*digger, *y, {.wait = 30ms}));
    EXPECT_EQ(end.substr(0, 4), "busy");
    EXPECT_EQ(x->host.counters().moves_busy, 2U);
    EXPECT_EQ(digger->life(), entity::EntityState::alive);
    const End third = start_move(*digger, *y);
    open = true;
    end = co_await ended(third);
    EXPECT_EQ(end, "moved");
    EXPECT_EQ(all.done[1], 1);
    EXPECT_EQ(gold_of_the_world(), whole);
  });
}

TEST_F(BusyMoves, ClosuresAreRefusedAtOnceOrLeftBehindAndCounted) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(x->main.timers().every(digger->timers(), 1ms, 1ms, entity::CatchUp::once,
                                       [this] { digger->take(1); }));
    std::string end = co_await ended(start_move(*digger, *y));
    EXPECT_THAT(end, HasSubstr("1 closures of timers()"));
    EXPECT_EQ(end.substr(0, 4), "busy");
    const bool goes_on = co_await until([&] { return all.done[1] > 3; });
    EXPECT_TRUE(goes_on);
    end = co_await ended(start_move(*digger, *y, {.leave_behind = true}));
    EXPECT_EQ(end, "moved");
    EXPECT_EQ(x->host.counters().left_behind, 1U);
    EXPECT_EQ(gold_of_the_world(), whole) << "it has not paid while it was frozen";
  });
}

/// A host that is frozen itself is the longest freeze of all: the target stands still.
TEST_F(BusyMoves, NothingActsBetweenThePackingAndTheEndOfTheMove) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(x->main.timers().every(digger->timers(), 1ms, 1ms, entity::CatchUp::once,
                                       [this] { digger->take(1); }));
    for (int job = 2; job < 6; ++job) {
      rpc::call<&Digger::work>(x->endpoint, "entity/1", {}, job)([](const auto&) {});
    }
    EXPECT_TRUE(digger->run_later<&Digger::take>({.first = 5ms}, 10));
    const bool running = co_await until([&] { return all.done[1] > 2; });
    EXPECT_TRUE(running);
    const End end = start_move(*digger, *y, {.leave_behind = true});
    const bool stands = co_await frozen(*x, id, end);
    EXPECT_TRUE(stands);
    if (!stands) co_return;
    const auto done = all.done;
    const int treasury = all.treasury;
    while (x->host.entities().find_here(id) == digger && find(id) == nullptr) {
      EXPECT_EQ(all.treasury, treasury);
      EXPECT_EQ(all.done, done);
      EXPECT_THROW(digger->state.gold = 1, entity::BadData);
      EXPECT_FALSE(x->host.watch(*digger, entity::Audience::own_client));
      co_await turn();
    }
    const std::string moved = co_await ended(end);
    EXPECT_EQ(moved, "moved");
    EXPECT_EQ(gold_of_the_world(), whole);
  });
}

TEST_F(BusyMoves, AfterARefusalEachGoesOnAndHappensOnce) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    all.refuses = true;
    EXPECT_TRUE(x->main.timers().after(digger->timers(), 1ms, [this] { digger->take(1); }));
    int answers = 0;
    for (const int job : {2, 3, 4}) {
      rpc::call<&Digger::work>(x->endpoint, "entity/1", {}, job)(
          [&answers](const auto& reply) { answers += reply.has_value() ? 1 : 100; });
    }
    EXPECT_TRUE(digger->run_later<&Digger::take>({.first = 1ms}, 5));
    EXPECT_TRUE((digger->ask<&Market::price, &Digger::told>(x->endpoint, "service/market", {},
                                                            std::tuple(6), 6)));
    const std::string end = co_await ended(start_move(*digger, *y, {.leave_behind = true}));
    EXPECT_THAT(end, HasSubstr("no room"));
    const bool all_done = co_await until(
        [&] { return answers >= 3 && all.done.size() >= 6 && digger->questions() == 0; });
    EXPECT_TRUE(all_done);
    EXPECT_EQ(answers, 3);
    for (const auto& [job, times] : all.done) EXPECT_EQ(times, 1) << job;
    EXPECT_EQ(gold_of_the_world(), whole);
    EXPECT_EQ(digger->start_reason(), entity::StartReason::resumed);
  });
}

TEST_F(BusyMoves, AMoveThatIsStartedLateHoldsNoEntity) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    auto move = x->host.move(*digger, "b.y", boost::asio::deferred);
    auto publish = x->host.publish(*digger, "digger/1", boost::asio::deferred);
    digger->destroy();
    const bool gone = co_await until([&] { return x->host.entities().size() == 0; });
    EXPECT_TRUE(gone);
    std::vector<std::string> ends;
    std::move(move)([&](const bus::Result<>& r) { ends.push_back(r.error().to_string()); });
    std::move(publish)([&](const bus::Result<>& r) { ends.push_back(r.error().to_string()); });
    const bool both = co_await until([&] { return ends.size() == 2; });
    EXPECT_TRUE(both);
    for (const std::string& each : ends) EXPECT_EQ(each.substr(0, 9), "not_bound") << each;
  });
}

TEST_F(BusyMoves, ADeclaredTypeIsTakenInUnderItsOwnChannels) {
  run([this]() -> Task {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    auto* made = static_cast<Digger*>(x->host.entities().create_by_name("digger").value());
    std::optional<bool> published;
    x->host.publish(*made, "digger/anne",
                    [&](const bus::Result<>& done) { published = done.has_value(); });
    const bool come = co_await until([&] { return published.has_value(); });
    EXPECT_TRUE(come && *published);
    const std::string end = co_await ended(start_move(*made, *y));
    EXPECT_EQ(end, "moved") << "of a class whose constructor takes more than the key";
  });
}

/// A store that notes who was saved.
struct Saves {
  std::vector<std::string> ids;
  Store store() {
    return [this](SavedEntity saved, const Done& done) {
      ids.push_back(saved.persistent_id);
      done({});
    };
  }
};
Saves* saves = nullptr;

class DrainWithMoves : public TwoTowns {
 protected:
  DrainWithMoves() : TwoTowns({.save = (saves = new Saves)->store()}) {}
  ~DrainWithMoves() override {
    x.reset();
    y.reset();
    delete std::exchange(saves, nullptr);
  }
};

TEST_F(DrainWithMoves, SavesAllAtOnceWhileATargetHangs) {
  run([this]() -> Task {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    std::vector<Digger*> diggers;
    for (int i = 0; i < 3; ++i) {
      Digger* made = co_await settle_one(*x);
      EXPECT_NE(made, nullptr);
      if (made == nullptr) co_return;
      made->take(i);
      diggers.push_back(made);
    }
    saves->ids.clear();
    const End end = start_move(*diggers[0], *y);
    const bool stands = co_await frozen(*x, diggers[0]->online_id(), end);
    EXPECT_TRUE(stands);
    if (!stands) co_return;
    bool drained = false;
    x->host.drain([&](const bus::Result<>&) { drained = true; });
    // Turn by turn, as long as the target holds the one that moves.
    while (end->empty() && saves->ids.size() < 3) co_await turn();
    EXPECT_TRUE(end->empty()) << "nothing waits for the end of the move";
    EXPECT_EQ(saves->ids.size(), 3U) << "those that stay, and the one that moves as it is";
    const bool over = co_await until([&] { return drained; });
    EXPECT_TRUE(over);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
