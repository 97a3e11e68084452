#include "bench/game/micro.hpp"

#include <benchmark/benchmark.h>

#include <sstream>

#include "bench/harness/suite.hpp"

namespace starbus::bench {
namespace {

// The metric of the processor time of an iteration: its row has the function's name.
constexpr const char* kTime = "";
// A counter in seconds; its row is in nanoseconds, as times are.
constexpr const char* kPerCall = "per_call";

class Collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) error_ = run.error_message;
      metrics_[kTime] =
          run.GetAdjustedCPUTime() * 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
      for (const auto& [name, counter] : run.counters) {
        metrics_[name] = counter.value * (name == kPerCall ? 1e9 : 1);
      }
    }
  }
  Result<Metrics> result() const {
    if (!error_.empty()) return fail(error_);
    return metrics_;
  }

 private:
  Metrics metrics_;
  std::string error_;
};

void set_flag(std::string flag) {
  std::string program = "bench";
  char* arguments[] = {program.data(), flag.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

// All names, without "/iterations:1" and such.
std::vector<std::string> registered() {
  std::ostringstream out;
  Collector reporter;
  reporter.SetOutputStream(&out);
  set_flag("--benchmark_list_tests=true");
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  set_flag("--benchmark_list_tests=false");
  std::vector<std::string> names;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    names.push_back(line.substr(0, line.find('/')));
  }
  return names;
}

Row row_of(const std::string& name, const std::string& metric) {
  const bool time = metric == kTime || metric == kPerCall;
  return {metric == kTime ? name : name + "." + metric, time ? "ns" : "", {name, metric}};
}

Result<Metrics> run_function(const std::string& name) {
  Collector reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, "^" + name + "(/|$)");
  return reporter.result();
}

}  // namespace

int micro_main(int argc, char** argv, const std::string& suite, const std::string& about) {
  CLI::App app{about};
  SuiteOptions options;
  options.seconds = 0.5;
  add_suite_options(app, options, "One short repetition: does it work?");
  app.add_option("--seconds", options.seconds, "Least time of one run")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  make_quick(app, options, "--reps", options.repetitions, 1);
  make_quick(app, options, "--seconds", options.seconds, 0.02);
  std::vector<SuiteCase> cases;
  for (const std::string& name : registered()) {
    SuiteCase one{.name = name};
    one.run = [name](const std::string&, int) { return run_function(name); };
    one.row_of = [name](const std::string& metric) { return row_of(name, metric); };
    cases.push_back(std::move(one));
  }
  set_flag("--benchmark_min_time=" + std::to_string(options.seconds));
  return run_suite(options, cases, Report(suite, {}));
}

}  // namespace starbus::bench
