/// What a run shows: a line of progress, and the summary as text and as JSON
/// (docs/operate/bots.md). Pure functions.
#pragma once

#include <string>

#include "tools/bots/run.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::bots {

/// One moment of a run.
struct Progress {
  const char* stage;
  double seconds;  // of the stage
  std::uint64_t bots;
  const Gauges& gauges;
  const Figures& second;  // since the line before
  std::uint64_t violations;
};
std::string progress_line(const Progress& at);

/// What was given, for the summary.
struct Given {
  std::string script{};
  std::uint64_t seed = 0;
  std::size_t threads = 1;
};
std::string summary_text(const Script& script, const Given& given, const Outcome& outcome);
bustop::OrderedJson summary_json(const Script& script, const Given& given, const Outcome& outcome);

}  // namespace starbus::bots
