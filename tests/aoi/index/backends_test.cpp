/// All backends beside brute force: the same scripts give the same events, one by one.
#include <gtest/gtest.h>

#include "tests/aoi/script.hpp"

namespace starbus::aoi::test {
namespace {

WorldOptions with(Backend backend, Metric metric, Simd simd) {
  WorldOptions of;
  of.backend = backend;
  of.metric = metric;
  of.simd = simd;
  of.bounds = {{0, 0, 0}, {100, 100, 0}};
  of.reach = 20;
  of.quarantine = 2;
  of.symmetric.capacity = 3;
  of.symmetric.cell = 16;
  of.symmetric.refresh = 4;
  return of;
}

void compare(const Taste& taste, Metric metric) {
  const auto script = *rc::gen::resize(400, scripts(taste));
  std::vector<Player> players;
  players.emplace_back(with(Backend::brute_force, metric, Simd::best), taste);
  players.emplace_back(with(Backend::grid, metric, Simd::best), taste);
  players.emplace_back(with(Backend::grid, metric, Simd::none), taste);
  players.emplace_back(with(Backend::hashed_grid, metric, Simd::best), taste);
  players.emplace_back(with(Backend::cross_list, metric, Simd::best), taste);
  for (const Step& step : script) {
    for (Player& player : players) player.play(step);
    if (step.what != Do::update) continue;
    for (Player& player : players) {
      player.check();
      if (taste.symmetric) player.check_lists();
      demand(player.last_events() == players.front().last_events(), "backends differ");
    }
  }
}

TEST(Backends, AgreeOnPlainSensors) {
  Taste taste;
  taste.managed = false;
  EXPECT_TRUE(rc::check("plain", [&] { compare(taste, Metric::circle); }));
}

TEST(Backends, AgreeOnTheSquareMetric) {
  Taste taste;
  taste.managed = false;
  EXPECT_TRUE(rc::check("square", [&] { compare(taste, Metric::square); }));
}

TEST(Backends, AgreeOnManagedSensors) {
  EXPECT_TRUE(rc::check("managed", [&] { compare({}, Metric::circle); }));
}

TEST(Backends, AgreeInACrowd) {
  Taste taste;
  taste.size = 25;
  EXPECT_TRUE(rc::check("crowd", [&] { compare(taste, Metric::circle); }));
}

// Queries between two updates answer with what was reported, wherever all are by then; removed
// entities are gone at once.
TEST(Backends, AgreeBetweenUpdatesWithManyFarMoves) {
  Taste taste;
  taste.far = true;
  taste.managed = false;
  taste.size = 120;
  EXPECT_TRUE(rc::check("far", [&] {
    const auto script = *rc::gen::resize(400, scripts(taste));
    WorldOptions of = with(Backend::brute_force, Metric::circle, Simd::best);
    of.reach = 10;  // small cells, so that most of the map is far away
    std::vector<Player> players;
    players.emplace_back(of, taste);
    for (const Backend backend : {Backend::grid, Backend::hashed_grid}) {
      of.backend = backend;
      players.emplace_back(of, taste);
    }
    bool whole = true;
    for (const Step& step : script) {
      for (Player& player : players) player.play(step);
      whole = step.what == Do::update ||
              (whole && step.what != Do::remove && step.what != Do::remove_sensor);
      for (Player& player : players) {
        if (whole) player.check();
        if (step.what != Do::update) continue;
        demand(player.last_events() == players.front().last_events(), "backends differ");
      }
    }
  }));
}

// The same with budgets: sensors that are put off keep their sets, also of entities that moved far.
TEST(Backends, KeepSetsWithManyFarMovesAndABudget) {
  Taste taste;
  taste.far = true;
  taste.size = 120;
  EXPECT_TRUE(rc::check("budget", [&] {
    const auto script = *rc::gen::resize(400, scripts(taste));
    for (const Backend backend : {Backend::grid, Backend::hashed_grid}) {
      WorldOptions of = with(backend, Metric::circle, Simd::best);
      of.reach = 10;
      of.budget.pair_tests = 6;
      of.budget.max_staleness = 3;
      Player player(of, taste);
      for (const Step& step : script) {
        player.play(step);
        if (step.what == Do::update) player.check();
      }
    }
  }));
}

TEST(Backends, AgreeWithSymmetricLists) {
  Taste taste;
  taste.symmetric = true;
  taste.size = 40;
  EXPECT_TRUE(rc::check("symmetric", [&] { compare(taste, Metric::circle); }));
}

}  // namespace
}  // namespace starbus::aoi::test
