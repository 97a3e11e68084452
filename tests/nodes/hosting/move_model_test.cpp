/// Random moves of busy entities, some of which are given up: the gold of the world stays the same,
/// each job runs once, and each question and call ends once. 10,000 moves with scripts/test --long.
#include <random>

#include "tests/nodes/hosting/two_towns.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::Task;
using entity::OnlineId;
using namespace std::chrono_literals;

class RandomMoves : public TwoTowns {
 protected:
  /// What a job may be: each kind of work that an entity has.
  enum class Kind { coroutine, closure, step, question, kinds };

  int draw(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }

  void begin_job(Digger& digger) {
    const int job = ++jobs;
    Town& town = &digger.home() == &x->host.entities() ? *x : *y;
    Town& caller = draw(2) == 0 ? *x : *y;
    switch (static_cast<Kind>(draw(static_cast<int>(Kind::kinds)))) {
      case Kind::coroutine:
        ++calls;
        rpc::call<&Digger::work>(caller.endpoint, town.endpoint.channel_of(digger),
                                 {.deadline = 30s}, job)([this, job](const auto& reply) {
          ++ends;
          if (reply) return;
          // Left behind by a move: it has run in part, and not to its end.
          if (reply.error() != rpc::Errc::destroyed) {
            ADD_FAILURE() << job << ": " << reply.error().to_string();
          }
          left.insert(job);
        });
        break;
      case Kind::closure:
        if (town.main.timers().after(digger.timers(), std::chrono::milliseconds(draw(4)),
                                     [&digger, job] { digger.take(job); })) {
          closures.insert(job);
        }
        break;
      case Kind::step:
        EXPECT_TRUE(
            digger.run_later<&Digger::take>({.first = std::chrono::milliseconds(draw(6))}, job));
        break;
      default:
        EXPECT_TRUE((digger.ask<&Market::price, &Digger::told>(
            town.endpoint, "service/market", {.deadline = 30s}, std::tuple(job), job)));
    }
  }

  /// The jobs that must have run: all but what was left behind by a move.
  bool all_ran() {
    if (ends != calls) return false;
    for (int job = 1; job <= jobs; ++job) {
      const int times = all.done.contains(job) ? all.done.at(job) : 0;
      const bool may_be_left = left.contains(job) || closures.contains(job);
      if (times == 0 && !may_be_left) return false;
    }
    return true;
  }

  boost::asio::awaitable<void> one_move(OnlineId id) {
    Digger* digger = find(id);
    EXPECT_NE(digger, nullptr);
    if (digger == nullptr) co_return;
    for (int i = draw(4); i > 0; --i) begin_job(*digger);
    const bool here = &digger->home() == &x->host.entities();
    all.refuses = draw(4) == 0;
    const MoveOptions how{.wait = draw(3) == 0 ? 0ms : 5'000ms, .leave_behind = draw(2) == 0};
    const std::string end = co_await ended(start_move(*digger, here ? *y : *x, how));
    ++outcomes[end.substr(0, end.find(':'))];
    all.refuses = false;
    EXPECT_EQ(gold_of_the_world(), whole) << end;
  }

  std::mt19937 random{20};
  int jobs = 0;
  int calls = 0;
  int ends = 0;  // of calls
  std::set<int> left, closures;
  std::map<std::string, int> outcomes;
};

TEST_F(RandomMoves, GoldIsConstantAndEachJobAndQuestionEndsOnce) {
  const int moves = long_runs() ? 10'000 : 300;
  run(
      [this, moves]() -> Task {
        const bool connected = co_await connect();
        EXPECT_TRUE(connected);
        std::vector<OnlineId> ids;
        for (int i = 0; i < 4; ++i) {
          Digger* made = co_await settle_one(i % 2 == 0 ? *x : *y);
          EXPECT_NE(made, nullptr);
          if (made == nullptr) co_return;
          ids.push_back(made->online_id());
        }
        for (int i = 0; i < moves && !HasFailure(); ++i) {
          co_await one_move(ids[static_cast<std::size_t>(draw(4))]);
        }
        const bool ran = co_await until([&] { return all_ran(); });
        EXPECT_TRUE(ran) << ends << " of " << calls << " calls have ended";
        for (const auto& [job, times] : all.done) EXPECT_EQ(times, 1) << job;
        for (const int job : left) EXPECT_FALSE(all.done.contains(job)) << job;
        EXPECT_TRUE(all.lines.empty()) << all.lines.front();
        EXPECT_EQ(gold_of_the_world(), whole);
        for (const OnlineId id : ids) {
          Digger* digger = find(id);
          EXPECT_NE(digger, nullptr);
          if (digger == nullptr) continue;
          EXPECT_EQ(digger->questions(), 0U);
          EXPECT_EQ(digger->shift.state<Digging>()->found, all.shifts[digger->persistent_id()])
              << "its machine has gone on through all moves";
        }
        EXPECT_GT(outcomes["moved"], moves / 4);
        EXPECT_GT(outcomes["move_refused"], 0);
        EXPECT_GT(outcomes["busy"], 0);
      },
      long_runs() ? 1'200s : 110s);
}

}  // namespace
}  // namespace starbus::nodes::entities
