// What the suites share: options, the order of runs, and the end with a report. A suite lists its
// cases; run_suite() does the rest. One thread uses it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/harness/report.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench {

struct SuiteOptions {
  std::string glob;                // of cases; "" matches all
  std::vector<std::string> peers;  // chosen ones
  int repetitions = 5;
  double seconds = 0;   // measured time of one run
  double others = 100;  // a run is repeated if others used more of the machine, percent
  bool quick = false;
  bool check = false;
  bool list = false;
  std::string json_path;
};

// --case, --reps, --others, --quick, --check, --list and --json. `quick`: the help of --quick.
void add_suite_options(CLI::App& app, SuiteOptions& options, const std::string& quick);
void add_seconds_option(CLI::App& app, SuiteOptions& options);
// `names`: all that can be chosen. options.peers says what is chosen without the option.
void add_peer_option(CLI::App& app, SuiteOptions& options, const std::vector<std::string>& names,
                     const std::string& help);

// Adds a number above 0; its value now is the default.
template <class T>
void add_count(CLI::App& app, const char* option, T& value, const char* about) {
  app.add_option(option, value, about)->check(CLI::PositiveNumber)->capture_default_str();
}

// Sets a value for --quick unless its option was given.
template <class T>
void make_quick(const CLI::App& app, const SuiteOptions& options, const char* option, T& value,
                const std::type_identity_t<T>& quick) {
  if (options.quick && app.count(option) == 0) value = quick;
}

struct SuiteCase {
  std::string name;
  std::string about = {};
  std::vector<std::string> peers = {""};  // that can do it
  // A run that throws has failed.
  std::function<Result<Metrics>(const std::string& peer, int repetition)> run = {};
  std::vector<Row> rows = {};
  std::vector<std::string> needs = {};  // cases that the rows are divided by
  // Where metrics are not known before: the row of one that the first run has measured.
  std::function<Row(const std::string& metric)> row_of = {};
};

constexpr int kFailed = 1;       // exit codes
constexpr int kWrongOption = 2;  // nothing was chosen that exists
constexpr int kMissedBar = 3;    // works, and is too slow; or a promise was broken
constexpr int kInterrupted = 130;

bool matches(const SuiteOptions& options, const std::string& case_name);

// Runs all repetitions of the chosen cases and reports; the exit code. Peers alternate within a
// repetition, and another one begins each time, so that none always runs on the machine that the
// one before has warmed up. Progress goes to standard error, the report to standard output.
int run_suite(const SuiteOptions& options, const std::vector<SuiteCase>& cases, Report report);

// Prints the report and writes the JSON; the exit code, for a promise that was broken, and with
// --check for a missed bar, too.
int finish(const SuiteOptions& options, const Report& report);

}  // namespace starbus::bench
