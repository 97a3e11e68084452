// The cases of the gate, with their bars: what a gate must reach beside its peers.
#pragma once

#include <vector>

#include "bench/gate/options.hpp"
#include "bench/harness/suite.hpp"

namespace starbus::bench::gate {

// `missing`: peers that are not there. The options outlive the cases.
std::vector<SuiteCase> cases_of(const Options& options, const std::vector<std::string>& missing);

}  // namespace starbus::bench::gate
