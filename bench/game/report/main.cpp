// bench_node: runs the benchmarks of what game code stands on, one after the other, and holds their
// figures against the bars. Each part also runs by itself, with more rows: scripts/bench
// properties, rpc, timers, nodes, shutdown.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/game/report/report.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/folder.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLongestPart = 1'800;  // seconds

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The medians of Google Benchmark: times in nanoseconds, and counters.
void take_benchmark(const std::string& part, const Json& report, NodeFigures& figures) {
  for (const Json& row : report["benchmarks"]) {
    if (row.value("aggregate_name", "") != "median") continue;
    const std::string name = part + "." + row["run_name"].get<std::string>();
    // The name has "/iterations:1" behind it, and such, which are not part of the key.
    const std::string key = name.substr(0, name.find('/'));
    const std::string unit = row.value("time_unit", "ns");
    const double scale = unit == "ms" ? 1e6 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1;
    figures[key] = scale * row["cpu_time"].get<double>();
    for (const auto& [counter, value] : row.items()) {
      if (value.is_number() && counter != "cpu_time" && counter != "real_time") {
        figures[key + "." + counter] = value.get<double>();
      }
    }
  }
}

struct Part {
  std::string name;
  /// Of Google Benchmark: the rows that the report has. Empty: a program of our own.
  std::string rows;
};
const Part kParts[] = {
    {"entity",
     "Floor|Write_NobodyWatches$|Write_Synced$|TenFields_EncodeFor3|Managed_Memory|"
     "Managed_CreateDestroy_100000"},
    {"rpc", "Floor_VirtualCall|Entity"},
    {"timers", ""},
    {"nodes", ""},
    {"shutdown", ""},
};

class Run {
 public:
  Run(int repetitions, bool quick) : repetitions_(repetitions), quick_(quick) {}

  bool all() {
    for (const Part& part : kParts) {
      if (interrupted() || !one(part)) return false;
    }
    derive();
    return true;
  }
  const NodeFigures& figures() const { return figures_; }

 private:
  bool one(const Part& part) {
    std::cerr << "bench_" << part.name << "...\n";
    const std::string out = folder_.path() + "/" + part.name + ".json";
    std::vector<std::string> command = {directory() + "/bench_" + part.name};
    if (!part.rows.empty()) {
      command.insert(command.end(),
                     {"--benchmark_filter=" + part.rows, "--benchmark_out=" + out,
                      "--benchmark_out_format=json",
                      "--benchmark_repetitions=" + std::to_string(std::max(repetitions_, 2)),
                      "--benchmark_enable_random_interleaving=true"});
      if (quick_) command.emplace_back("--benchmark_min_time=0.02");
    } else {
      command.insert(command.end(), {"--json", out, "--reps", std::to_string(repetitions_)});
      if (quick_) command.emplace_back("--quick");
    }
    ProcessGroup group(folder_.path());
    const auto process = group.spawn(part.name, command);
    if (!process) return failed(process.error().what);
    const std::int64_t deadline = now_ns() + kLongestPart * 1'000'000'000;
    while ((*process)->read_line(deadline)) {  // it would wait for a reader
    }
    const auto ended = (*process)->wait(deadline);
    if (!ended) return failed(ended.error().what + "\n" + group.log_tail());
    if (*ended != 0) return failed("bench_" + part.name + "\n" + group.log_tail());
    const Json report = Json::parse(text_of(out), nullptr, false);
    if (report.is_discarded()) return failed("bench_" + part.name + " has written no JSON");
    if (!part.rows.empty()) {
      take_benchmark(part.name, report, figures_);
    } else {
      for (const auto& [key, value] : report.items()) figures_[key] = value.get<double>();
    }
    return true;
  }
  static bool failed(const std::string& why) {
    std::cerr << "FAILED: " << why << "\n";
    return false;
  }
  /// What the rows are made of that no part says as such.
  void derive() {
    figures_["rpc.measuring"] = 1e9 * (figures_["rpc.BM_EntitySend.per_call"] -
                                       figures_["rpc.BM_EntitySend_Unmeasured.per_call"]);
    figures_["entity.managed_per_second"] =
        figures_["entity.BM_Managed_CreateDestroy_100000.entities"];
    figures_["entity.plain_per_second"] = 1e9 / figures_["entity.BM_Floor_PlainCreateDestroy"];
  }
  static std::string directory() { return own_executable().substr(0, own_executable().rfind('/')); }

  const int repetitions_;
  const bool quick_;
  TemporaryFolder folder_{temporary_parent(), false};
  NodeFigures figures_;
};

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures what game code stands on, and says of every bar whether it is met, beside a floor\n"
      "of the same run. Medians."};
  int repetitions = 5;
  bool quick = false;
  bool check = false;
  std::string json_path;
  app.add_option("--reps", repetitions, "Repetitions of each part")->capture_default_str();
  app.add_flag("--quick", quick, "Short runs with few entities: does it work?");
  app.add_flag("--check", check, "Exit code 1 if a bar is not met");
  app.add_option("--json", json_path, "Also write rows and figures there")->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  if (quick) repetitions = 1;
  install_interrupt_handler();
  Run run(repetitions, quick);
  if (!run.all()) return 1;
  const auto rows = judge(run.figures());
  print(rows, std::cout);
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << as_json(rows, run.figures()).dump(2) << "\n";
    if (!file) return 1;
  }
  if (all_met(rows)) return 0;
  std::cout << "not all bars are met\n";
  return check ? 1 : 0;
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
