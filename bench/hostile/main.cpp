// bench_hostile: what honest processes of a host notice of a program with thousands of sessions
// that does all that its role allows, as fast as it can. Real daemons and processes.
#include "bench/harness/suite.hpp"
#include "bench/hostile/honest.hpp"
#include "bench/hostile/run.hpp"

namespace starbus::bench::hostile {
namespace {

std::vector<Row> rows() {
  const auto row = [](const std::string& name, const std::string& unit) {
    return Row{.name = name, .unit = unit, .figure = {"hostile", name}};
  };
  const auto barred = [&](const std::string& name, const std::string& unit, const Bar& bar) {
    Row one = row(name, unit);
    one.bar = bar;
    return one;
  };
  const Bar none{Bar::Kind::at_most, 0};
  Row ratio{.name = "during.p99.ratio",
            .unit = "x before",
            .figure = {"hostile", "during.p99"},
            .divisor = Row::Figure{"hostile", "before.p99"}};
  ratio.bar = Bar{Bar::Kind::at_most, 2};
  return {row("before.p50", "us"),
          row("before.p99", "us"),
          row("opening.p99", "us"),
          row("during.p50", "us"),
          row("during.p99", "us"),
          row("during.max", "us"),
          ratio,
          row("after.p99", "us"),
          barred("lost_sessions", "of honest processes", none),
          barred("lost_names", "of honest processes", none),
          barred("failed", "calls of honest processes", none),
          barred("named", "times, by bustop doctor", {Bar::Kind::at_least, 1}),
          row("sessions", "at that busd"),
          row("busd.before", "MB"),
          row("busd.during", "MB"),
          row("busd.after", "MB")};
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures calls between eight honest processes before, while and after a program with\n"
      "thousands of sessions takes names, floods, answers what nobody asked, begins records that\n"
      "never end, comes and goes, all at once; and what they lose. Run it as root: then that\n"
      "program is another user."};
  SuiteOptions suite;
  suite.repetitions = 1;
  suite.seconds = 60;
  Options options;
  HonestOptions honest;
  add_suite_options(app, suite, "Three seconds of 512 sessions: does it work?");
  add_seconds_option(app, suite);
  app.add_option("--sessions", options.sessions, "Of the hostile program")->capture_default_str();
  app.add_option("--rate", options.rate, "Calls per second of each honest process")
      ->capture_default_str();
  app.add_option(
         "--pace", options.pace_ms,
         "Milliseconds between two acts of a hostile session; 0: as fast as busd takes them")
      ->capture_default_str();
  // For the benchmark's own processes; not in the help.
  CLI::App* role = app.add_subcommand("honest")->group("");
  role->add_option("--endpoint", honest.endpoint);
  role->add_option("--index", honest.index);
  role->add_option("--of", honest.of);
  role->add_option("--rate", honest.rate);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_honest(honest);
  make_quick(app, suite, "--seconds", suite.seconds, 3);
  make_quick(app, suite, "--sessions", options.sessions, 512);
  options.seconds = suite.seconds;
  const SuiteCase hostile{.name = "hostile",
                          .about = "one program against its neighbours",
                          .run = [&](const std::string&, int) { return run(options); },
                          .rows = rows()};
  return run_suite(suite, {hostile}, Report("hostile", {}));
}

}  // namespace
}  // namespace starbus::bench::hostile

int main(int argc, char** argv) {
  return starbus::bench::hostile::main_of(argc, argv);
}
