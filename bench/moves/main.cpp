// bench_moves: how long a channel that receives at a fixed rate is silent when it moves to another
// process on another host, and back, again and again. Real daemons and processes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/bus/load_process.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/figures.hpp"
#include "bench/harness/folder.hpp"
#include "bench/moves/role.hpp"

namespace starbus::bench {
namespace {

using Json = nlohmann::json;

struct Outcome {
  std::vector<double> silences;  // microseconds
  double moves_per_second = 0;
};

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

Result<Outcome> measure(const MoveRole& options, const std::string& directory) {
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
  Outcome outcome;
  std::uint64_t handled = 0;
  std::uint64_t wrong = 0;
  for (Process* place : places) {
    const auto said = read_result(*place, 0);
    if (!said) return said.error();
    handled += (*said)["handled"].get<std::uint64_t>();
    wrong += (*said)["wrong"].get<std::uint64_t>();
    for (const double silence : (*said)["silences"]) outcome.silences.push_back(silence);
  }
  const auto total = (*sent)["sent"].get<std::uint64_t>();
  if (handled != total || wrong != 0) {
    return fail(std::to_string(handled) + " of " + std::to_string(total) + " handled, " +
                std::to_string(wrong) + " out of sequence");
  }
  outcome.moves_per_second = static_cast<double>(outcome.silences.size()) / options.seconds;
  return outcome;
}

int run_all(const MoveRole& options, int repetitions, const std::string& json_path) {
  install_interrupt_handler();
  std::map<std::string, std::vector<double>> figures;
  for (int repetition = 0; repetition < repetitions && !interrupted(); ++repetition) {
    const TemporaryFolder folder(temporary_parent(), false);
    const auto outcome = measure(options, folder.path());
    if (!outcome) {
      std::cerr << "FAILED: " << outcome.error().what << "\n";
      return 1;
    }
    const std::vector<double>& silences = outcome->silences;
    figures["silence.p50"].push_back(quantile(silences, 0.5));
    figures["silence.p99"].push_back(quantile(silences, 0.99));
    figures["silence.max"].push_back(quantile(silences, 1));
    figures["per_second"].push_back(outcome->moves_per_second);
    std::cerr << "rep " << repetition + 1 << "/" << repetitions << "  " << silences.size()
              << " moves, silence p50 " << figures["silence.p50"].back() << " us\n";
  }
  Json json;
  for (const auto& [name, values] : figures) {
    const double middle = median(values).value_or(0);
    json["moves." + name + ".starbus"] = middle;
    std::printf("%-20s %10.0f%s\n", name.c_str(), middle, name == "per_second" ? "" : " us");
  }
  if (json_path.empty()) return 0;
  return write_text(json_path, json.dump(2) + "\n") ? 0 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures how long a channel is silent that receives at a fixed rate from host 0 while it\n"
      "moves between a process on host 0 and one on host 1: from the last message that the source\n"
      "has handled to the first at the target. Also checks that the sequence is exact."};
  MoveRole options;
  int repetitions = 5;
  bool quick = false;
  std::string json_path;
  app.add_option("--reps", repetitions, "Repetitions")->capture_default_str();
  app.add_option("--rate", options.rate, "Messages per second")->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of one run")->capture_default_str();
  app.add_option("--stay", options.stay_ms, "Milliseconds between an arrival and the next move")
      ->capture_default_str();
  app.add_flag("--quick", quick, "One repetition of a second: does it work?");
  app.add_option("--json", json_path,
                 "Also write the medians there, as flat keys moves.METRIC.PEER")
      ->type_name("FILE");
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
  if (quick) {
    repetitions = 1;
    options.seconds = 1;
  }
  return run_all(options, repetitions, json_path);
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
