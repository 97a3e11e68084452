// bench_space measures what it costs a space to tell the clients of its players what is around
// them.
#include "bench/harness/suite.hpp"
#include "bench/space/sight_load.hpp"

namespace starbus::bench::space {
namespace {

SuiteCase case_of(const std::string& name, const std::string& about, const Load& load) {
  SuiteCase made{.name = name, .about = about};
  made.run = [load](const std::string&, int) -> Result<Metrics> { return run(load); };
  const auto row = [&](const std::string& metric, const std::string& unit, std::optional<Bar> bar) {
    made.rows.push_back({.name = name + "." + metric,
                         .unit = unit,
                         .figure = {name, metric},
                         .bar = std::move(bar)});
  };
  row("p50", "ms/tick", std::nullopt);
  row("p99", "ms/tick", std::nullopt);
  row("aoi", "ms/tick", std::nullopt);
  row("views", "ms/tick", std::nullopt);
  row("bytes", "B/move", Bar{.limit = 12});
  row("seen", "entities", std::nullopt);
  row("client", "B/s", std::nullopt);
  return made;
}

}  // namespace
}  // namespace starbus::bench::space

int main(int argc, char** argv) {
  namespace bench = starbus::bench;
  CLI::App app{
      "Measures sight: all walk at 5 m/s and all watch, 10 ticks per second.\n"
      "walk: 1,000 in 1 km x 1 km, radius 30. spot: 300 within 10 m, of whom each sees the\n"
      "nearest 30. Times are those of one thread; bodies are made, and not sent."};
  bench::SuiteOptions options;
  int ticks = 300;
  bench::add_suite_options(app, options, "Run one short repetition, to see that it works");
  app.add_option("--ticks", ticks, "Run so many ticks")->check(CLI::Range(1, 100'000));
  CLI11_PARSE(app, argc, argv);
  bench::make_quick(app, options, "--reps", options.repetitions, 1);
  bench::make_quick(app, options, "--ticks", ticks, 5);
  const bench::space::Load walk{.walkers = 1'000, .side = 1'000, .ticks = ticks};
  const bench::space::Load spot{.walkers = 300, .side = 10, .most_seen = 30, .ticks = ticks};
  return bench::run_suite(options,
                          {bench::space::case_of("walk", "1,000 in a square kilometre", walk),
                           bench::space::case_of("spot", "300 in one spot", spot)},
                          bench::Report("space", {}));
}
