#include "bench/harness/trial.hpp"

#include <unistd.h>

#include <iostream>

#include "bench/harness/process.hpp"
#include "bench/harness/quiet.hpp"
#include "bench/harness/table.hpp"

namespace starbus::bench {
namespace {

constexpr int kTrials = 10;

void say(const Result<Metrics>& metrics, double others) {
  if (metrics) {
    for (const auto& [name, value] : *metrics) std::cerr << name << " " << shown(value) << "  ";
  } else {
    std::cerr << "FAILED: " << metrics.error().what << "\n";
  }
  std::cerr << "(others used " << static_cast<int>(others) << " % of the machine)\n";
}

}  // namespace

Result<Metrics> run_in_quiet(const std::string& what, double others,
                             const std::function<Result<Metrics>()>& run) {
  for (int trial = 0; trial < kTrials && !interrupted(); ++trial) {
    // What was left in memory before would be written during this one: an fsync waits for it.
    ::sync();
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

}  // namespace starbus::bench
