/// Random moves of busy entities, some of which are given up, and what must hold of them: the gold
/// of the world stays the same, each job runs once, each question and call ends once, machines go
/// on where they were, and everybody is in one space. The first thing that does not hold is kept.
#pragma once

#include <algorithm>
#include <random>
#include <set>

#include "tests/nodes/hosting/two_towns.hpp"

namespace starbus::nodes::entities {

class MoveModel : public TwoTowns {
 protected:
  /// Also waits until all that was begun has ended. Within a run of the loop.
  boost::asio::awaitable<void> play(int moves) {
    const bool connected = co_await connect();
    demand(connected, "no connection");
    for (int i = 0; i < 4 && connected; ++i) {
      Digger* made = co_await settle_one(i % 2 == 0 ? *x : *y);
      demand(made != nullptr, "an entity could not be published");
      if (made == nullptr) co_return;
      demand(made->home().enter_space(*made, entity::OnlineId{1}).has_value(), "no entry");
      ids.push_back(made->online_id());
    }
    for (int i = 0; i < moves && violation.empty(); ++i) {
      co_await one_move(ids[static_cast<std::size_t>(draw(4))]);
    }
    if (!violation.empty()) co_return;
    const bool ran = co_await until([this] { return all_ran(); });
    demand(ran, std::to_string(ends) + " of " + std::to_string(calls) + " calls have ended");
    check_end();
  }

  std::string violation;
  std::map<std::string, int> outcomes;

 private:
  /// What a job may be: each kind of work that an entity has.
  enum class Kind { coroutine, closure, step, question, kinds };

  int draw(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }
  void demand(bool holds, const std::string& what) {
    if (!holds && violation.empty()) violation = what;
  }

  void begin_job(Digger& digger) {
    const int job = ++jobs;
    Town& town = &digger.home() == &x->host.entities() ? *x : *y;
    Town& caller = draw(2) == 0 ? *x : *y;
    switch (static_cast<Kind>(draw(static_cast<int>(Kind::kinds)))) {
      case Kind::coroutine:
        ++calls;
        rpc::call<&Digger::work>(caller.endpoint, town.endpoint.channel_of(digger),
                                 {.deadline = std::chrono::seconds(30)},
                                 job)([this, job](const auto& reply) {
          ++ends;
          if (reply) return;
          // Left behind by a move: it has run in part, and not to its end.
          demand(reply.error() == rpc::Errc::destroyed,
                 "job " + std::to_string(job) + ": " + reply.error().to_string());
          left.insert(job);
        });
        break;
      case Kind::closure:
        if (town.main.timers().after(digger.timers(), std::chrono::milliseconds(draw(4)),
                                     [&digger, job] { digger.take(job); })) {
          closures.insert(job);
        }
        break;
      case Kind::step: {
        const auto set =
            digger.run_later<&Digger::take>({.first = std::chrono::milliseconds(draw(6))}, job);
        demand(set.has_value(), "a step was refused");
        break;
      }
      default: {
        const auto asked = digger.ask<&Market::price, &Digger::told>(
            town.endpoint, "service/market", {.deadline = std::chrono::seconds(30)},
            std::tuple(job), job);
        demand(asked.has_value(), "a question was refused");
      }
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
    // The source of the latest move leaves its space in a later turn.
    return std::ranges::all_of(all.places, [](const auto& each) { return each.second == 1; });
  }

  boost::asio::awaitable<void> one_move(entity::OnlineId id) {
    Digger* digger = find(id);
    demand(digger != nullptr, "one is nowhere");
    if (digger == nullptr) co_return;
    for (int i = draw(4); i > 0; --i) begin_job(*digger);
    const bool here = &digger->home() == &x->host.entities();
    const entity::OnlineId space = digger->space();
    const int paces = jobs + 1;
    digger->state.paces = paces;
    all.refuses = draw(4) == 0;
    MoveOptions how{.wait = std::chrono::milliseconds(draw(3) == 0 ? 0 : 5'000),
                    .leave_behind = draw(2) == 0};
    if (draw(3) == 0) how.space = entity::OnlineId{static_cast<std::uint64_t>(1 + draw(3))};
    const std::string end = co_await ended(start_move(*digger, here ? *y : *x, how));
    ++outcomes[end.substr(0, end.find(':'))];
    all.refuses = false;
    demand(gold_of_the_world() == whole, "gold has come or gone: " + end);
    digger = find(id);
    demand(digger != nullptr, "it is nowhere: " + end);
    if (digger == nullptr) co_return;
    const auto goes_to = end == "moved" ? how.space.value_or(space) : space;
    demand(digger->space() == goes_to, "it is in another space: " + end);
    demand(digger->state.paces == (goes_to == space ? paces : 0),
           std::to_string(digger->state.paces.get()) + " of " + std::to_string(paces) + " paces, " +
               (goes_to == space ? "in the same space: " : "in another space: ") + end);
    demand_machine(*digger, end);
  }

  void demand_machine(Digger& digger, const std::string& when) {
    const Digging* const digging = digger.shift.state<Digging>();
    demand(digging != nullptr && digging->found == all.shifts[digger.persistent_id()],
           "its machine has not gone on: " + when);
  }

  void check_end() {
    for (const auto& [job, times] : all.done) {
      demand(times == 1, "job " + std::to_string(job) + ": " + std::to_string(times) + " times");
    }
    for (const int job : left) {
      demand(!all.done.contains(job), "job " + std::to_string(job) + " was left, and has run");
    }
    demand(all.lines.empty(), all.lines.empty() ? "" : all.lines.front());
    demand(gold_of_the_world() == whole, "gold has come or gone at the end");
    for (const entity::OnlineId id : ids) {
      Digger* const digger = find(id);
      demand(digger != nullptr, "one is nowhere at the end");
      if (digger == nullptr) continue;
      demand(digger->questions() == 0, "a question has no end");
      demand(all.places[digger->persistent_id()] == 1, "it is not in one space");
      demand_machine(*digger, "at the end");
    }
  }

  std::mt19937 random{20};
  std::vector<entity::OnlineId> ids;
  int jobs = 0;
  int calls = 0;
  int ends = 0;  // of calls
  std::set<int> left, closures;
};

}  // namespace starbus::nodes::entities
