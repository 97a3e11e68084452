// bench_nodes: what an RPC to another process of the host costs beside the bus' own request and
// reply, in the same run between the same processes, and how many one-way RPCs a node takes. Real
// daemons.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/bus/load_process.hpp"
#include "bench/bus/peer.hpp"
#include "bench/game/nodes/role.hpp"
#include "bench/harness/figures.hpp"
#include "bench/harness/folder.hpp"

namespace starbus::bench {
namespace {

using Json = nlohmann::json;

std::vector<std::string> command_of(const std::string& role, const std::string& directory,
                                    const NodeRole& options) {
  return {own_executable(), role, "--endpoint", "unix://" + directory + "/host0.sock",
          "--node",         role, "--seconds",  std::to_string(options.seconds)};
}

Result<Json> measure(const NodeRole& options, const std::string& directory) {
  ProcessGroup processes(directory);
  Plan plan;
  plan.directory = directory;
  if (auto up = find_peer("starbus")->start_cluster(plan, processes); !up) return up.error();
  auto answerer = processes.spawn("answerer", command_of("answerer", directory, options));
  if (!answerer) return answerer.error();
  if (const auto ready = await_ready(**answerer); !ready) {
    return fail(ready.error().what + "\n" + processes.log_tail());
  }
  auto asker = processes.spawn("asker", command_of("asker", directory, options));
  if (!asker) return asker.error();
  auto asked = read_result(**asker, 4 * options.seconds);
  if (!asked) return fail(asked.error().what + "\n" + processes.log_tail());
  (void)(*answerer)->write_line("stop");
  const auto answered = read_result(**answerer, 0);
  if (!answered) return answered.error();
  if ((*answered)["handled"] != (*asked)["sent"] ||
      (*answered)["noted"] != (*asked)["plain_sent"]) {
    return fail((*answered)["handled"].dump() + " of " + (*asked)["sent"].dump() + " handled");
  }
  return std::move(*asked);
}

int run_all(const NodeRole& options, int repetitions, const std::string& json_path) {
  install_interrupt_handler();
  std::map<std::string, std::vector<double>> figures;
  for (int repetition = 0; repetition < repetitions && !interrupted(); ++repetition) {
    const TemporaryFolder folder(temporary_parent(), false);
    const auto outcome = measure(options, folder.path());
    if (!outcome) {
      std::cerr << "FAILED: " << outcome.error().what << "\n";
      return 1;
    }
    const double bus = quantile((*outcome)["bus"].get<std::vector<double>>(), 0.5);
    const double rpc = quantile((*outcome)["rpc"].get<std::vector<double>>(), 0.5);
    figures["call.p50.bus"].push_back(bus);
    figures["call.p50.rpc"].push_back(rpc);
    figures["call.p99.bus"].push_back(quantile((*outcome)["bus"].get<std::vector<double>>(), 0.99));
    figures["call.p99.rpc"].push_back(quantile((*outcome)["rpc"].get<std::vector<double>>(), 0.99));
    figures["call.ratio"].push_back(rpc / bus);
    figures["oneway.per_second"].push_back((*outcome)["per_second"].get<double>());
    figures["oneway.bus"].push_back((*outcome)["plain_per_second"].get<double>());
    std::cerr << "rep " << repetition + 1 << "/" << repetitions << "  bus " << bus << " us, rpc "
              << rpc << " us, one way " << figures["oneway.per_second"].back() << " a second\n";
  }
  Json json;
  for (const auto& [name, values] : figures) {
    const double middle = median(values).value_or(0);
    json["nodes." + name] = middle;
    const bool is_time = name.starts_with("call.p");
    std::printf("%-20s %12.2f%s\n", name.c_str(), middle, is_time ? " us" : "");
  }
  if (json_path.empty()) return 0;
  return write_text(json_path, json.dump(2) + "\n") ? 0 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures RPC between two processes of one host: a call and its answer, one at a time, in "
      "turns\n"
      "with the bus' own request and reply of as many bytes; then one-way calls as fast as the "
      "windows\n"
      "allow, until all are handled. Medians."};
  NodeRole options;
  int repetitions = 5;
  bool quick = false;
  std::string json_path;
  app.add_option("--reps", repetitions, "Repetitions")->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of each row of one run")
      ->capture_default_str();
  app.add_flag("--quick", quick, "One repetition of a short time: does it work?");
  app.add_option("--json", json_path, "Also write the medians there, as flat keys nodes.ROW")
      ->type_name("FILE");
  // For the benchmark's own processes; not in the help.
  const auto role = [&](const char* name) {
    CLI::App* sub = app.add_subcommand(name)->group("");
    sub->add_option("--endpoint", options.endpoint);
    sub->add_option("--node", options.node);
    sub->add_option("--seconds", options.seconds);
    return sub;
  };
  const CLI::App* answerer = role("answerer");
  const CLI::App* asker = role("asker");
  CLI11_PARSE(app, argc, argv);
  if (answerer->parsed()) return run_answerer(options);
  if (asker->parsed()) return run_asker(options);
  if (quick) {
    repetitions = 1;
    options.seconds = 0.2;
  }
  return run_all(options, repetitions, json_path);
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
