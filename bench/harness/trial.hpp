// A run of a benchmark that others on the machine have not spoilt.
#pragma once

#include <functional>
#include <string>

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench {

// Runs it, and says on standard error what came out and how busy others were. Beside others that
// have used more than `others` percent of the machine it is tried again, whether it has failed or
// not: they may end. Gives up after some trials.
Result<Metrics> run_in_quiet(const std::string& what, double others,
                             const std::function<Result<Metrics>()>& run);

}  // namespace starbus::bench
