// bench_moves: how long a channel that receives at a fixed rate is silent when it moves to another
// process on another host, and back, again and again. Real daemons and processes.
#include "bench/bus/load_process.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/suite.hpp"
#include "bench/moves/role.hpp"

namespace starbus::bench {
namespace {

std::vector<std::string> command_of(const std::string& role, const std::string& directory, int host,
                                    const MoveRole& options) {
  std::vector<std::string> command = {
      own_executable(), role,
      "--endpoint",     "unix://" + directory + "/host" + std::to_string(host) + ".sock",
      "--node",         role + std::to_string(host),
      "--other",        "host" + std::to_string(1 - host) + "." + role + std::to_string(1 - host),
      "--rate",         std::to_string(options.rate),
      "--seconds",      std::to_string(options.seconds),
      "--stay",         std::to_string(options.stay_ms)};
  if (role == "place" && host == 0) command.emplace_back("--begins");
  return command;
}

Result<Metrics> measure(const MoveRole& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  const std::string& directory = folder.path();
  ProcessGroup processes(directory);
  Plan plan;
  plan.directory = directory;
  if (auto up = find_peer("starbus")->start_cluster(plan, processes); !up) return up.error();
  std::vector<Process*> places;
  for (const int host : {1, 0}) {  // the one that waits is there first
    auto place = processes.spawn("place" + std::to_string(host),
                                 command_of("place", directory, host, options));
    if (!place) return place.error();
    const auto ready = await_ready(**place);
    if (!ready) return fail(ready.error().what + "\n" + processes.log_tail());
    places.push_back(*place);
  }
  auto sender = processes.spawn("sender", command_of("sender", directory, 0, options));
  if (!sender) return sender.error();
  const auto sent = read_result(**sender, options.seconds);
  if (!sent) return fail(sent.error().what + "\n" + processes.log_tail());
  for (Process* place : places) (void)place->write_line("stop");
  std::vector<double> silences;  // microseconds
  std::uint64_t handled = 0;
  std::uint64_t wrong = 0;
  for (Process* place : places) {
    const auto said = read_result(*place, 0);
    if (!said) return said.error();
    handled += (*said)["handled"].get<std::uint64_t>();
    wrong += (*said)["wrong"].get<std::uint64_t>();
    for (const double silence : (*said)["silences"]) silences.push_back(silence);
  }
  const auto total = (*sent)["sent"].get<std::uint64_t>();
  if (handled != total || wrong != 0) {
    return fail(std::to_string(handled) + " of " + std::to_string(total) + " handled, " +
                std::to_string(wrong) + " out of sequence");
  }
  return Metrics{{"p50", quantile(silences, 0.5)},
                 {"p99", quantile(silences, 0.99)},
                 {"max", quantile(silences, 1)},
                 {"per_second", static_cast<double>(silences.size()) / options.seconds}};
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures how long a channel is silent that receives at a fixed rate from host 0 while it\n"
      "moves between a process on host 0 and one on host 1: from the last message that the source\n"
      "has handled to the first at the target. Also checks that the sequence is exact."};
  SuiteOptions suite;
  suite.seconds = 5;
  MoveRole options;
  add_suite_options(app, suite, "One repetition of a second: does it work?");
  add_seconds_option(app, suite);
  app.add_option("--rate", options.rate, "Messages per second")->capture_default_str();
  app.add_option("--stay", options.stay_ms, "Milliseconds between an arrival and the next move")
      ->capture_default_str();
  // For the benchmark's own processes; not in the help.
  const auto role = [&](const char* name) {
    CLI::App* sub = app.add_subcommand(name)->group("");
    sub->add_option("--endpoint", options.endpoint);
    sub->add_option("--node", options.node);
    sub->add_option("--other", options.other);
    sub->add_option("--rate", options.rate);
    sub->add_option("--seconds", options.seconds);
    sub->add_option("--stay", options.stay_ms);
    sub->add_flag("--begins", options.begins);
    return sub;
  };
  const CLI::App* place = role("place");
  const CLI::App* sender = role("sender");
  CLI11_PARSE(app, argc, argv);
  if (place->parsed()) return run_place(options);
  if (sender->parsed()) return run_sender(options);
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 1);
  options.seconds = suite.seconds;
  const SuiteCase moves{.name = "moves",
                        .about = "a channel goes to and fro between two hosts",
                        .peers = {"starbus"},
                        .run = [&](const std::string&, int) { return measure(options); },
                        .rows = {{"silence.p50", "us", {"moves", "p50"}},
                                 {"silence.p99", "us", {"moves", "p99"}},
                                 {"silence.max", "us", {"moves", "max"}},
                                 {"per_second", "moves", {"moves", "per_second"}}}};
  return run_suite(suite, {moves}, Report("moves", {{"starbus"}, "starbus"}));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
