// The cases of spaces, with their bars.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/suite.hpp"
#include "bench/space/options.hpp"

namespace starbus::bench::space {

// `missing`: peers that are not there. The options outlive the cases.
std::vector<SuiteCase> cases_of(const Options& options, const std::vector<std::string>& missing);

}  // namespace starbus::bench::space
