// bench_aoi: what a move costs, beside a sweep that finds the same pairs and keeps nothing.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "bench/aoi/cases.hpp"

namespace starbus::bench {
namespace {

const Workload kW1{"w1", 10'000, 2'000, 30, 1, 100};
const Workload kW2{"w2", 1'000, 60, 30, 1, 100};
const Workload kW3{"w3", 50'000, 20'000, 100, 0.3, 100};
// "On one spot": within ten metres, so that everybody sees everybody.
const Workload kSpot{"spot", 1'000, 10, 30, 1, 100};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Report {
 public:
  Report(int repetitions, std::string only) : repetitions_(repetitions), only_(std::move(only)) {}

  /// One line per figure: aoi.WORKLOAD.METRIC...
  void measure(const std::string& name, const Workload& workload, const Setup& setup) {
    if (!wanted(workload.name + "." + name)) return;
    std::vector<Figures> all;
    for (int i = 0; i < repetitions_; ++i) all.push_back(run(workload, setup));
    const auto add = [&](const char* suffix, double Figures::*figure, const char* unit) {
      std::vector<double> values;
      for (const Figures& one : all) values.push_back(one.*figure);
      put(workload.name + "." + name + suffix, median(values), unit);
    };
    add("", &Figures::per_move, "ns/move");
    add(".update", &Figures::per_update, "ms");
    add(".insert", &Figures::insert, "ms");
    add(".memory", &Figures::memory, "bytes/entity");
    add(".events", &Figures::events, "events/move");
    add(".neighbours", &Figures::neighbours, "");
  }

  void floor(const Workload& workload) {
    if (!wanted(workload.name + ".floor")) return;
    std::vector<double> values;
    for (int i = 0; i < repetitions_; ++i) values.push_back(run_floor(workload));
    put(workload.name + ".floor", median(values), "ns/move");
  }

  bool write(const std::string& path) const {
    std::ofstream json(path);
    json << "{";
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      json << (i == 0 ? "\n" : ",\n") << "  \"" << figures_[i].first
           << "\": " << figures_[i].second;
    }
    json << "\n}\n";
    return static_cast<bool>(json);
  }

 private:
  bool wanted(const std::string& name) const {
    return only_.empty() || name.rfind(only_, 0) == 0 || name.find(".floor") != std::string::npos;
  }
  void put(const std::string& name, double value, const char* unit) {
    figures_.emplace_back("aoi." + name, value);
    std::printf("%-36s %12.2f %s\n", ("aoi." + name).c_str(), value, unit);
    std::fflush(stdout);
  }
  int repetitions_;
  std::string only_;
  std::vector<std::pair<std::string, double>> figures_;
};

Setup features() {
  Setup setup;
  setup.sight.leave_margin = 3;
  setup.sight.filter = {3, 0, 4};
  setup.sight.limit = {aoi::LimitPolicy::nearest, 30, 0.1F};
  setup.second.radius = 10;
  setup.second.filter = {1, 0, 0};
  return setup;
}

void measure_all(Report& report) {
  for (const Workload& workload : {kW1, kW2, kW3}) {
    report.floor(workload);
    Setup setup;
    report.measure("grid", workload, setup);
    setup.simd = aoi::Simd::none;
    report.measure("grid_portable", workload, setup);
    setup.simd = aoi::Simd::best;
    setup.backend = aoi::Backend::hashed_grid;
    report.measure("hashed_grid", workload, setup);
    setup.backend = aoi::Backend::cross_list;
    report.measure("cross_list", workload, setup);
    setup = {};
    setup.teleporting = 0.1;
    report.measure("teleports", workload, setup);
    setup = {};
    setup.churning = 0.05;
    report.measure("churn", workload, setup);
  }
  report.measure("features", kW1, features());
  report.measure("features", kSpot, features());
  Setup symmetric;
  symmetric.sight.limit.policy = aoi::LimitPolicy::symmetric;
  report.measure("symmetric", kSpot, symmetric);
  report.measure("symmetric", kW2, symmetric);
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  CLI::App app{
      "Measures AOI: w1 (10,000 in 2 km, radius 30), w2 (1,000 in 60 m, radius 30), w3 (50,000 in\n"
      "20 km, radius 100, 30 % move), and 1,000 on one spot; beside a floor that keeps no sets."};
  int repetitions = 5;
  std::string only;
  std::string json_path;
  bool quick = false;
  app.add_option("--reps", repetitions, "Repetitions; the median is told")->capture_default_str();
  app.add_option("--case", only, "Only those whose name begins so, as w1.grid; and the floors");
  app.add_flag("--quick", quick, "One repetition: does it work?");
  app.add_option("--json", json_path,
                 "Also write the medians there, as flat keys aoi.WORKLOAD.BACKEND")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  starbus::bench::Report report(quick ? 1 : std::max(1, repetitions), only);
  starbus::bench::measure_all(report);
  return json_path.empty() || report.write(json_path) ? 0 : 1;
}
