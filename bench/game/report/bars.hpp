// The bars of what game code stands on, each beside its floor.
#pragma once

#include <string>

#include "bench/harness/report.hpp"

namespace starbus::bench {

// Adds the rows of one part of the run. `figures`: by the keys of the parts' JSON.
void add_bars(const std::string& part, const Metrics& figures, Report& report);

}  // namespace starbus::bench
