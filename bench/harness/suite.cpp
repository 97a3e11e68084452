#include "bench/harness/suite.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iostream>

#include "bench/harness/files.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/quiet.hpp"
#include "bench/harness/table.hpp"

namespace starbus::bench {
namespace {

constexpr int kTrials = 10;

std::vector<SuiteCase> chosen_cases(const SuiteOptions& options,
                                    const std::vector<SuiteCase>& cases, Report& report) {
  std::vector<std::string> needed;
  for (const SuiteCase& one : cases) {
    if (!matches(options, one.name)) continue;
    for (const Row& row : one.rows) report.add(row);
    needed.push_back(one.name);
    needed.insert(needed.end(), one.needs.begin(), one.needs.end());
  }
  std::vector<SuiteCase> chosen;
  std::ranges::copy_if(cases, std::back_inserter(chosen), [&](const SuiteCase& one) {
    return std::ranges::find(needed, one.name) != needed.end();
  });
  return chosen;
}

std::vector<std::string> peers_of(const SuiteCase& one, const std::vector<std::string>& chosen) {
  std::vector<std::string> peers;
  for (const std::string& peer : chosen.empty() ? one.peers : chosen) {
    if (std::ranges::find(one.peers, peer) != one.peers.end()) peers.push_back(peer);
  }
  return peers;
}

void say(const Result<Metrics>& metrics, double others) {
  if (metrics) {
    for (const auto& [name, value] : *metrics) std::cerr << name << " " << shown(value) << "  ";
  } else {
    std::cerr << "FAILED: " << metrics.error().what << "\n";
  }
  std::cerr << "(others used " << static_cast<int>(others) << " % of the machine)\n";
}

// Beside others that have used too much of the machine it is tried again, whether it has failed or
// not: they may end.
Result<Metrics> run_in_quiet(const std::string& what, double others,
                             const std::function<Result<Metrics>()>& run) {
  for (int trial = 0; trial < kTrials && !interrupted(); ++trial) {
    wait_for_quiet(others);
    std::cerr << what << ": " << std::flush;
    const OtherWork meanwhile;
    Result<Metrics> metrics = run();
    const double percent = meanwhile.percent();
    say(metrics, percent);
    if (percent <= others) return metrics;
  }
  const Failure failure = fail(interrupted() ? "interrupted" : "the machine is too busy");
  std::cerr << "FAILED: " << failure.what << "\n";
  return failure;
}

bool run_once(const SuiteOptions& options, const SuiteCase& one, const std::string& peer,
              int repetition, Report& report) {
  const std::string what = "rep " + std::to_string(repetition + 1) + "/" +
                           std::to_string(options.repetitions) + "  " + one.name + "  " + peer;
  const auto metrics = run_in_quiet(what, options.others, [&]() -> Result<Metrics> {
    try {
      return one.run(peer, repetition);
    } catch (const std::exception& error) {
      return fail(error.what());
    }
  });
  if (!metrics) return false;
  report.figures().add(one.name, peer, repetition, *metrics);
  if (!one.row_of || repetition > 0) return true;
  for (const auto& [metric, value] : *metrics) report.add(one.row_of(metric));
  return true;
}

int list(const std::vector<SuiteCase>& cases) {
  for (const SuiteCase& one : cases) {
    std::cout << one.name << std::string(24 - std::min<std::size_t>(one.name.size(), 23), ' ')
              << one.about << "\n";
  }
  return 0;
}

}  // namespace

void add_suite_options(CLI::App& app, SuiteOptions& options, const std::string& quick) {
  app.add_option("--case,--row", options.glob, "Only cases that match this glob, as \"*.same\"")
      ->take_last()  // scripts/bench may have given one
      ->type_name("GLOB");
  app.add_option("--reps", options.repetitions,
                 "Repetitions of everything; figures are medians of theirs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--others", options.others,
                 "Repeat a run if other processes have used more than this share of the machine\n"
                 "meanwhile, percent")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, quick);
  app.add_flag("--check", options.check, "Exit code 3 if a bar is not met; the table says which");
  app.add_flag("--list", options.list, "List the cases and stop");
  app.add_option("--json", options.json_path,
                 "Also write the figures there, as flat keys SUITE.ROW.PEER")
      ->type_name("FILE");
}

void add_seconds_option(CLI::App& app, SuiteOptions& options) {
  app.add_option("--seconds", options.seconds, "Measured time of one run")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
}

void add_peer_option(CLI::App& app, SuiteOptions& options, const std::vector<std::string>& names,
                     const std::string& help) {
  app.add_option("--peer", options.peers, help)
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST");
}

bool matches(const SuiteOptions& options, const std::string& case_name) {
  return options.glob.empty() ||
         ::fnmatch(options.glob.c_str(), case_name.c_str(), FNM_EXTMATCH) == 0;
}

int run_suite(const SuiteOptions& options, const std::vector<SuiteCase>& cases, Report report) {
  if (options.list) return list(cases);
  install_interrupt_handler();
  const std::vector<SuiteCase> chosen = chosen_cases(options, cases, report);
  if (chosen.empty()) {
    std::cerr << "no case matches " << options.glob << "; see --list\n";
    return kWrongOption;
  }
  if (options.check && !report.has_bars()) {
    std::cerr << "--check: no case that was chosen has a bar\n";
    return kWrongOption;
  }
  const OtherWork others;
  bool good = true;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    for (const SuiteCase& one : chosen) {
      const std::vector<std::string> peers = peers_of(one, options.peers);
      for (std::size_t i = 0; i < peers.size() && !interrupted(); ++i) {
        const std::size_t turn = (i + static_cast<std::size_t>(repetition)) % peers.size();
        good = run_once(options, one, peers[turn], repetition, report) && good;
      }
    }
  }
  report.note("others", others.percent(), "% of the machine was used by other processes");
  const int code = finish(options, report);
  return good || code == kInterrupted ? code : kFailed;
}

int finish(const SuiteOptions& options, const Report& report) {
  std::cout << report.table();
  if (!options.json_path.empty()) {
    const auto written = write_text(options.json_path, report.json());
    if (!written) {
      std::cerr << written.error().what << "\n";
      return kFailed;
    }
  }
  if (interrupted()) return kInterrupted;
  if (report.broken() != 0) return kMissedBar;
  return options.check && report.missed() != 0 ? kMissedBar : 0;
}

}  // namespace starbus::bench
