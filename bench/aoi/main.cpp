// bench_aoi measures what a move costs, beside a sweep that finds the same pairs and keeps nothing.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "aoi/index/kernels.hpp"
#include "bench/aoi/report.hpp"
#include "bench/harness/quiet.hpp"

namespace starbus::bench::aoi {
namespace {

struct Wishes {
  int repetitions = 5;
  bool quick = false;
  bool check = false;
  int ticks = 0;
  std::string only;
  std::string json_path;
};

// Runs the repetitions in turn, so that each contains all cases that are compared.
int run_all(const Wishes& wishes) {
  const bool simd = &starbus::aoi::best_kernels() != &starbus::aoi::portable_kernels();
  const Plan plan = make_plan(simd, wishes.quick ? 5 : wishes.ticks, wishes.only);
  Report report(plan.rows, simd ? "aoi." : "aoi_no_simd.");
  const OtherWork others;
  for (int i = 0; i < (wishes.quick ? 1 : wishes.repetitions); ++i) {
    for (const Case& one : plan.cases) {
      report.add(one.full_name(),
                 one.setup ? run(one.workload, *one.setup) : run_floor(one.workload));
    }
    std::fprintf(stderr, "repetition %d; others had %.0f %% of the machine\n", i + 1,
                 others.percent());
  }
  std::printf("%s%zu of the figures are above their bars; others had %.0f %% of the machine\n",
              (wishes.check ? report.verdicts() : report.table()).c_str(), report.missed(),
              others.percent());
  if (!wishes.json_path.empty()) {
    std::ofstream json(wishes.json_path);
    json << report.json();
    if (!json) {
      std::fprintf(stderr, "bench_aoi: cannot write %s\n", wishes.json_path.c_str());
      return 1;
    }
  }
  constexpr int kMissed = 3;
  return wishes.check && report.missed() != 0 ? kMissed : 0;
}

}  // namespace
}  // namespace starbus::bench::aoi

int main(int argc, char** argv) {
  CLI::App app{
      "Measures the area of interest: w1 (10,000 in 2 km, radius 30), w2 (1,000 in 60 m, radius\n"
      "30), w3 (50,000 in 20 km, radius 100, 30 % move), 1,000 on one spot, and memory with ten\n"
      "neighbours; beside a floor that keeps no sets. Without bars: 10,000 in 8 km of which 1,000\n"
      "observe, and 1,000 of which 5 % or 40 % move, on all backends. Times are processor times "
      "of\n"
      "one thread. \"Best\" is the best repetition."};
  starbus::bench::aoi::Wishes wishes;
  app.add_option("--reps", wishes.repetitions, "Run so many repetitions and print the median")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--case", wishes.only, "Run only cases whose names begin with it, as w1.grid");
  app.add_option("--ticks", wishes.ticks, "Run so many ticks instead of each case's own number")
      ->check(CLI::Range(1, 100'000));
  app.add_flag("--quick", wishes.quick, "Run one short repetition, to see that it works");
  app.add_flag("--check", wishes.check,
               "Print per bar whether it is met instead of the table; exit with 3 if one is not");
  app.add_option("--json", wishes.json_path,
                 "Also write the medians to this file, as flat keys aoi.WORKLOAD.BACKEND")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  return starbus::bench::aoi::run_all(wishes);
}
