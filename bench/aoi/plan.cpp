#include "bench/aoi/plan.hpp"

#include <algorithm>
#include <utility>

#include "bench/aoi/cases.hpp"

namespace starbus::bench::aoi {
namespace {

namespace area = starbus::aoi;

const Workload kW1{"w1", 10'000, 2'000, 30, 1, 100};
const Workload kW2{"w2", 1'000, 60, 30, 1, 100};
const Workload kW3{"w3", 50'000, 20'000, 100, 0.3, 100};
// "On one spot": within ten metres, so that all see each other.
const Workload kSpot{"spot", 1'000, 10, 30, 1, 100};
// Each entity has ten neighbours.
const Workload kTen{"ten", 10'000, 1'684, 30, 1, 20};

// 8 km x 8 km, one entity in ten observes.
const Workload kMap8{"map8", 10'000, 8'000, 30, 1, 20, 1'000};
// As dense as w1. Cross lists pay if few move.
const Workload kFewMove{"move5", 1'000, 632, 30, 0.05, 100};
const Workload kManyMove{"move40", 1'000, 632, 30, 0.4, 100};

/// The bars of one workload, and the floor of the machine that they were set on.
struct Bars {
  Workload workload;
  double floor;          ///< ns per move, on the machine of the bars
  double slowest_floor;  ///< ns per move: a slower one would make the bars easy
  double grid;           ///< times the floor
  double cross;          ///< ns per move
  double gate;           ///< times the floor, for sensors that feed gates
};
const Bars kBars[] = {
    {kW1, 37, 45, 2.0, 200, 3.0}, {kW2, 790, 950, 1.0, 3'200, 1.5}, {kW3, 80, 95, 2.4, 400, 3.5}};
constexpr double kInsertW1 = 4;      // ms
constexpr double kInsertW3 = 20;     // ms
constexpr double kInsertCross = 20;  // ms
constexpr double kDisturbed = 3;     // times plain
constexpr double kFeatures = 2.5;    // times plain
constexpr double kSpotFeatures = 2;  // ms per update
constexpr double kSpotMutual = 5;    // ms per update
constexpr double kMemory = 300;      // bytes
constexpr double kGateMemory = 450;  // bytes
constexpr double kGateInsert = 1.5;  // times plain
// A factor for every bar of time, also for ratios to the plain figure: the bars were set so.
constexpr double kWithoutSimd = 2;

Setup on(area::Backend backend) {
  Setup setup;
  setup.backend = backend;
  return setup;
}

Setup portable() {
  Setup setup;
  setup.simd = area::Simd::none;
  return setup;
}

Setup features() {
  Setup setup;
  setup.sight.leave_margin = 3;
  setup.sight.filter = {3, 0, 4};
  setup.sight.limit = {area::LimitPolicy::nearest, 30, 0.1F};
  setup.second.emplace();
  setup.second->radius = 10;
  setup.second->filter = {1, 0, 0};
  return setup;
}

/// What the client of a player is fed by: numbers, and a filter, which all pass here.
Setup gate() {
  Setup setup;
  setup.sight.filter.any = 7;
  setup.sight.indexed = true;
  return setup;
}

Setup symmetric() {
  Setup setup;
  setup.sight.limit.policy = area::LimitPolicy::symmetric;
  return setup;
}

/// What a run has measured, by the names that rows use.
Metrics metrics_of(const Costs& costs) {
  return {{"move", costs.per_move},
          {"update", costs.per_update},
          {"insert", costs.insert},
          {"insert_one", costs.insert_one},
          {"memory", costs.memory},
          {"first", costs.first},
          {"most", costs.most},
          {"events", costs.events},
          {"neighbours", costs.neighbours}};
}

class Builder {
 public:
  Builder(double allowance, int ticks) : allowance_(allowance), ticks_(ticks) {}

  void floor(const Workload& workload, double slowest) {
    add(workload, "floor", [](const Workload& of) { return run_floor(of); });
    Row& it = row(workload, "floor", "", "move", "ns/move");
    it.bar = Bar{.limit = slowest, .of_machine = true};
  }

  void run(const Workload& workload, const std::string& name, const Setup& setup) {
    add(workload, name,
        [setup](const Workload& of) { return starbus::bench::aoi::run(of, setup); });
  }

  Row& row(const Workload& workload, const std::string& name, const std::string& suffix,
           const std::string& metric, const std::string& unit) {
    const std::string of = workload.name + "." + name;
    SuiteCase& one = case_of(workload, name);
    one.rows.push_back({of + suffix, unit, {of, metric}});
    return one.rows.back();
  }

  void per_move(const Workload& workload, const std::string& name, std::optional<double> bar) {
    row(workload, name, "", "move", "ns/move");
    against(workload, name, "move", "", "floor", bar);
  }

  void against_plain(const Workload& workload, const std::string& name, double bar,
                     const std::string& plain = "grid") {
    row(workload, name, "", "move", "ns/move");
    against(workload, name, "move", "", plain, bar);
  }

  void insert_against_plain(const Workload& workload, const std::string& name, double bar) {
    row(workload, name, ".insert", "insert", "ms");
    against(workload, name, "insert_one", ".insert", "grid", bar, "insert_one");
  }

  void insert(const Workload& workload, const std::string& name, double bar_ms, double floor) {
    row(workload, name, ".insert", "insert", "ms");
    against(workload, name, "insert_one", ".insert", "floor",
            bar_ms * 1e6 / workload.entities / floor);
  }

  void update(const Workload& workload, const std::string& name, std::optional<double> bar_ms) {
    Row& it = row(workload, name, "", "update", "ms/update");
    if (!bar_ms) return;
    it.bar = Bar{.limit = *bar_ms * allowance_};
    // The nearest floor: also a crowd.
    it.bar->pace = Bar::Pace{{kW2.name + ".floor", "", "move"}, kBars[1].floor};
    case_of(workload, name).needs = {kW2.name + ".floor"};
  }

  void memory(const std::string& name, const Setup& setup, std::optional<double> bar) {
    run(kTen, name, setup);
    for (const auto& [suffix, metric] :
         {std::pair{".memory", "memory"}, {".memory.first", "first"}, {".memory.most", "most"}}) {
      Row& it = row(kTen, name, suffix, metric, "bytes/entity");
      if (bar) it.bar = Bar{.limit = *bar};
    }
    if (bar) row(kTen, name, ".neighbours", "neighbours", "");
  }

  std::vector<SuiteCase> take() { return std::move(cases_); }

 private:
  template <class Measure>
  void add(Workload workload, const std::string& name, Measure measure) {
    if (ticks_ != 0) workload.ticks = ticks_;
    SuiteCase one{.name = workload.name + "." + name};
    one.run = [workload, measure](const std::string&, int) -> Result<Metrics> {
      return metrics_of(measure(workload));
    };
    cases_.push_back(std::move(one));
  }

  SuiteCase& case_of(const Workload& workload, const std::string& name) {
    return *std::ranges::find(cases_, workload.name + "." + name, &SuiteCase::name);
  }

  /// A quotient by the moves, or another figure, of another case of the same workload. Cases of one
  /// repetition are measured one after the other, so a slow phase of the machine slows both.
  void against(const Workload& workload, const std::string& name, const std::string& metric,
               const std::string& suffix, const std::string& base, std::optional<double> bar,
               const std::string& base_metric = "move") {
    Row& it =
        row(workload, name, suffix + ".ratio", metric, base == "floor" ? "x floor" : "x plain");
    it.divisor = Row::Figure{workload.name + "." + base, base_metric};
    if (bar) it.bar = Bar{.limit = *bar * allowance_};
    case_of(workload, name).needs.push_back(it.divisor->of);
  }

  double allowance_;
  int ticks_;
  std::vector<SuiteCase> cases_;
};

void add_workload(Builder& build, const Bars& bars, bool simd) {
  const Workload& workload = bars.workload;
  build.floor(workload, bars.slowest_floor);
  build.run(workload, "grid", {});
  build.per_move(workload, "grid", bars.grid);
  build.row(workload, "grid", ".events", "events", "events/move");
  build.row(workload, "grid", ".neighbours", "neighbours", "");
  if (simd) {
    build.run(workload, "grid_portable", portable());
    build.per_move(workload, "grid_portable", bars.grid * 2);
  }
  build.run(workload, "hashed_grid", on(area::Backend::hashed_grid));
  build.per_move(workload, "hashed_grid", std::nullopt);
  build.run(workload, "cross_list", on(area::Backend::cross_list));
  build.per_move(workload, "cross_list", bars.cross / bars.floor);
  Setup setup;
  setup.teleporting = 0.1;
  build.run(workload, "teleports", setup);
  build.against_plain(workload, "teleports", kDisturbed);
  setup = {};
  setup.churning = 0.05;
  build.run(workload, "churn", setup);
  build.against_plain(workload, "churn", kDisturbed);
}

// The same for sensors that feed gates; how much more they may take when disturbed is by their own
// figure.
void add_gate(Builder& build, const Bars& bars) {
  const Workload& workload = bars.workload;
  build.run(workload, "gate", gate());
  build.per_move(workload, "gate", bars.gate);
  build.insert_against_plain(workload, "gate", kGateInsert);
  Setup setup = gate();
  setup.teleporting = 0.1;
  build.run(workload, "gate_teleports", setup);
  build.against_plain(workload, "gate_teleports", kDisturbed, "gate");
  setup = gate();
  setup.churning = 0.05;
  build.run(workload, "gate_churn", setup);
  build.against_plain(workload, "gate_churn", kDisturbed, "gate");
  setup = gate();
  setup.batches = true;
  build.run(workload, "gate_batches", setup);
  build.per_move(workload, "gate_batches", std::nullopt);
}

// Cases without bars: a large map in which few observe, and how backends compare if few or many
// move.
void add_comparisons(Builder& build) {
  const std::pair<const char*, area::Backend> backends[] = {
      {"grid", area::Backend::grid},
      {"hashed_grid", area::Backend::hashed_grid},
      {"cross_list", area::Backend::cross_list},
      {"brute_force", area::Backend::brute_force}};
  for (const Workload& workload : {kMap8, kFewMove, kManyMove}) {
    for (const auto& [name, backend] : backends) {
      build.run(workload, name, on(backend));
      build.update(workload, name, std::nullopt);
    }
  }
}

}  // namespace

std::vector<SuiteCase> make_plan(bool simd, int ticks) {
  Builder build(simd ? 1 : kWithoutSimd, ticks);
  for (const Bars& bars : kBars) add_workload(build, bars, simd);
  for (const Bars& bars : kBars) add_gate(build, bars);
  build.run(kW1, "features", features());
  build.against_plain(kW1, "features", kFeatures);
  build.insert(kW1, "grid", kInsertW1, kBars[0].floor);
  build.insert(kW1, "cross_list", kInsertCross, kBars[0].floor);
  build.insert(kW3, "grid", kInsertW3, kBars[2].floor);
  build.run(kSpot, "grid", {});
  build.update(kSpot, "grid", std::nullopt);
  build.run(kSpot, "features", features());
  build.update(kSpot, "features", kSpotFeatures);
  build.run(kSpot, "symmetric", symmetric());
  build.update(kSpot, "symmetric", kSpotMutual);
  build.run(kW2, "symmetric", symmetric());
  build.update(kW2, "symmetric", std::nullopt);
  build.memory("grid", {}, kMemory);
  build.memory("gate", gate(), kGateMemory);
  build.memory("hashed_grid", on(area::Backend::hashed_grid), std::nullopt);
  build.memory("cross_list", on(area::Backend::cross_list), std::nullopt);
  add_comparisons(build);
  return build.take();
}

}  // namespace starbus::bench::aoi
