// bench_node: runs the benchmarks of what game code stands on, one after the other, and holds their
// figures against the bars. Each part also runs by itself, with more rows: scripts/bench
// properties, hosted, rpc, timers, nodes, shutdown.
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/game/report/bars.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/suite.hpp"

namespace starbus::bench {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLongestPart = 1'800;  // seconds

struct Part {
  std::string name;
  std::string cases;  // that the report has rows of; empty: all
};
const Part kParts[] = {
    {"entity",
     "BM_@(Floor_*|Write_NobodyWatches|Write_Synced|TenFields_EncodeFor3|Managed_Memory|"
     "Managed_CreateDestroy_100000)"},
    {"hosted", ""},
    {"rpc", "BM_@(Floor_VirtualCall|Entity*)"},
    {"timers", ""},
    {"nodes", ""},
    {"shutdown", ""},
};

Result<Metrics> run_part(const Part& part, const SuiteOptions& options) {
  const TemporaryFolder folder(temporary_parent(), false);
  const std::string out = folder.path() + "/" + part.name + ".json";
  const std::string directory = own_executable().substr(0, own_executable().rfind('/'));
  std::vector<std::string> command{directory + "/bench_" + part.name,
                                   "--json",
                                   out,
                                   "--reps",
                                   std::to_string(options.repetitions),
                                   "--others",
                                   std::to_string(options.others)};
  if (!part.cases.empty()) command.insert(command.end(), {"--case", part.cases});
  if (options.quick) command.emplace_back("--quick");
  ProcessGroup group(folder.path());
  const auto process = group.spawn(part.name, command);
  if (!process) return process.error();
  const std::int64_t deadline = now_ns() + kLongestPart * kSecond;
  while ((*process)->read_line(deadline)) {  // it would wait for a reader
  }
  const auto ended = (*process)->wait(deadline);
  if (!ended) return fail(ended.error().what + "\n" + group.log_tail());
  if (*ended != 0) return fail("bench_" + part.name + "\n" + group.log_tail());
  const auto text = read_text(out);
  const Json json = text ? Json::parse(*text, nullptr, false) : Json();
  if (!json.is_object()) return fail("bench_" + part.name + " has written no JSON");
  Metrics figures;
  for (const auto& [key, value] : json.items()) {
    if (value.is_number()) figures[key] = value.get<double>();
  }
  return figures;
}

int run_all(const SuiteOptions& options) {
  install_interrupt_handler();
  Metrics figures;
  for (const Part& part : kParts) {
    if (!matches(options, part.name)) continue;
    std::cerr << "bench_" << part.name << "...\n";
    const auto measured = run_part(part, options);
    if (!measured) {
      std::cerr << "FAILED: " << measured.error().what << "\n";
      return interrupted() ? kInterrupted : kFailed;
    }
    figures.insert(measured->begin(), measured->end());
  }
  Report report("node", {{"starbus", "floor"}, "starbus", {"floor"}});
  for (const Part& part : kParts) {
    if (matches(options, part.name)) add_bars(part.name, figures, report);
  }
  for (const auto& [key, value] : figures) report.note(key, value, "");
  return finish(options, report);
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures what game code stands on, and says of every bar whether it is met, beside a floor\n"
      "of the same run. Medians."};
  SuiteOptions options;
  add_suite_options(app, options, "Short runs with few entities: does it work?");
  CLI11_PARSE(app, argc, argv);
  make_quick(app, options, "--reps", options.repetitions, 1);
  if (!options.list) return run_all(options);
  for (const Part& part : kParts) std::cout << part.name << "\n";
  return 0;
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
