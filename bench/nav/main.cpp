// bench_nav measures searches over grids, beside a heap and beside each other.
#include "bench/nav/plan.hpp"

int main(int argc, char** argv) {
  namespace bench = starbus::bench;
  CLI::App app{
      "Measures ways over grids of 512 x 512 cells: 20 % of them walls by chance, and rooms. A* \n"
      "beside a heap that only pops and pushes, jump points beside A*, a table of jump points\n"
      "beside those without, goals that cannot be reached, flow fields, and doors; and \n"
      "hierarchical searches over 4096 x 4096. Crowds beside DetourCrowd, and a flock. Queries of\n"
      "a navmesh beside Detour called directly; a volume. Monsters that chase players, as the\n"
      "loop of their space has it. Times are processor times of one thread."};
  bench::SuiteOptions options;
  int rounds = 3;
  bench::add_suite_options(app, options, "Run one short repetition, to see that it works");
  app.add_option("--rounds", rounds, "Do the work of each case so many times")
      ->check(CLI::Range(1, 1'000));
  CLI11_PARSE(app, argc, argv);
  bench::make_quick(app, options, "--reps", options.repetitions, 1);
  bench::make_quick(app, options, "--rounds", rounds, 1);
  return bench::run_suite(options, bench::nav::make_plan(rounds), bench::Report("nav", {}));
}
