/// A run of bots from the first arrival to the summary: loops, stages, what is measured. Blocks its
/// thread, which is not one of the loops'.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/result.hpp"
#include "tools/bots/checks/letters.hpp"
#include "tools/bots/checks/violations.hpp"
#include "tools/bots/figures.hpp"
#include "tools/bots/script.hpp"

namespace starbus::bots {

/// What the command line says beside the script.
struct RunOptions {
  std::size_t threads = 1;
  std::uint64_t seed = 0;
  std::size_t violations = 20;
  std::string save_tickets{};  // a file; empty: none
  std::string log{};           // likewise: of events
  std::ostream* progress = nullptr;
  /// How often the program was asked to stop.
  std::function<int()> stops = [] { return 0; };
};

/// What came of it.
struct Outcome {
  Outcome(std::size_t says, std::size_t hears) : whole(says, hears), measured(says, hears) {}

  std::string failure{};  // for a person; empty: none
  std::string ended{};    // duration, signal, failed
  Figures whole;          // from the start to the end
  Figures measured;
  double seconds = 0;                    // measured
  double entry_seconds = 0;              // from the first arrival until all had come in
  Gauges at_end{};                       // of the measured time
  std::vector<std::uint64_t> open{};     // requests without an outcome, after settling
  std::uint64_t settled = 0;             // who play then
  Gauges at_settled{};                   // likewise
  std::vector<LetterFigures> letters{};  // of each [[say]]
  std::uint64_t compared = 0;            // properties of one entity at two bots
  std::uint64_t bytes_in = 0;            // measured
  std::uint64_t bytes_out = 0;
  double cpu_seconds = 0;  // measured
  std::uint64_t memory_before = 0;
  std::uint64_t memory = 0;  // when all played
  std::uint64_t files = 0;   // that may be open
  Violations::Seen violations{};

  /// "ok", "failed", "violated"; and the exit code for it.
  const char* result() const;
  int exit_code() const;
};

/// Errors: bad_config (what the script names cannot be used), io_error; nothing was played then.
Result<Outcome> run(const Script& script, const RunOptions& options);

}  // namespace starbus::bots
