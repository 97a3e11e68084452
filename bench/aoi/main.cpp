// bench_aoi measures what a move costs, beside a sweep that finds the same pairs and keeps nothing.
#include "aoi/index/kernels.hpp"
#include "bench/aoi/plan.hpp"

int main(int argc, char** argv) {
  namespace bench = starbus::bench;
  CLI::App app{
      "Measures the area of interest: w1 (10,000 in 2 km, radius 30), w2 (1,000 in 60 m, radius\n"
      "30), w3 (50,000 in 20 km, radius 100, 30 % move), 1,000 on one spot, and memory with ten\n"
      "neighbours; beside a floor that keeps no sets. Without bars: 10,000 in 8 km of which 1,000\n"
      "observe, and 1,000 of which 5 % or 40 % move, on all backends. Times are processor times "
      "of\n"
      "one thread. \"Least\" is the best repetition."};
  bench::SuiteOptions options;
  int ticks = 0;
  bench::add_suite_options(app, options, "Run one short repetition, to see that it works");
  app.add_option("--ticks", ticks, "Run so many ticks instead of each case's own number")
      ->check(CLI::Range(1, 100'000));
  CLI11_PARSE(app, argc, argv);
  bench::make_quick(app, options, "--reps", options.repetitions, 1);
  bench::make_quick(app, options, "--ticks", ticks, 5);
  const bool simd = &starbus::aoi::best_kernels() != &starbus::aoi::portable_kernels();
  return bench::run_suite(options, bench::aoi::make_plan(simd, ticks),
                          bench::Report(simd ? "aoi" : "aoi_no_simd", {}));
}
