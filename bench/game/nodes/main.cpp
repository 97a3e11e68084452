// bench_nodes: what an RPC to another process of the host costs beside the bus' own request and
// reply, in the same run between the same processes, and how many one-way RPCs a node takes. Real
// daemons.
#include "bench/bus/load_process.hpp"
#include "bench/bus/peer.hpp"
#include "bench/game/nodes/role.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/suite.hpp"

namespace starbus::bench {
namespace {

std::vector<std::string> command_of(const std::string& role, const std::string& directory,
                                    const NodeRole& options) {
  return {own_executable(), role, "--endpoint", "unix://" + directory + "/host0.sock",
          "--node",         role, "--seconds",  std::to_string(options.seconds)};
}

Result<Metrics> measure(const NodeRole& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  const std::string& directory = folder.path();
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
  const auto bus = (*asked)["bus"].get<std::vector<double>>();
  const auto rpc = (*asked)["rpc"].get<std::vector<double>>();
  return Metrics{{"p50.bus", quantile(bus, 0.5)},
                 {"p50.rpc", quantile(rpc, 0.5)},
                 {"p99.bus", quantile(bus, 0.99)},
                 {"p99.rpc", quantile(rpc, 0.99)},
                 {"oneway", (*asked)["per_second"].get<double>()},
                 {"oneway.bus", (*asked)["plain_per_second"].get<double>()}};
}

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const char* metric : {"p50.bus", "p50.rpc", "p99.bus", "p99.rpc"}) {
    rows.push_back({std::string("call.") + metric, "us", {"nodes", metric}});
  }
  rows.push_back({"call.ratio", "x bus", {"nodes", "p50.rpc"}, Row::Figure{"nodes", "p50.bus"}});
  rows.push_back({"oneway.per_second", "1/s", {"nodes", "oneway"}});
  rows.push_back({"oneway.bus", "1/s", {"nodes", "oneway.bus"}});
  return rows;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures RPC between two processes of one host: a call and its answer, one at a time, in "
      "turns\n"
      "with the bus' own request and reply of as many bytes; then one-way calls as fast as the "
      "windows\n"
      "allow, until all are handled. Medians."};
  SuiteOptions suite;
  suite.seconds = 2;
  NodeRole options;
  add_suite_options(app, suite, "One repetition of a short time: does it work?");
  add_seconds_option(app, suite);
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
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 0.2);
  options.seconds = suite.seconds;
  const SuiteCase nodes{.name = "nodes",
                        .about = "two processes of one host",
                        .run = [&](const std::string&, int) { return measure(options); },
                        .rows = rows()};
  return run_suite(suite, {nodes}, Report("nodes", {}));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
