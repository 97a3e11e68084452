// The cases of the benchmark. Each run has a cluster of its own, load processes around it, and says
// what they have measured.
#pragma once

#include <vector>

#include "bench/harness/suite.hpp"
#include "bench/mail/options.hpp"

namespace starbus::bench::mail {

// `options` must outlive the cases.
std::vector<SuiteCase> cases_of(const Options& options);

}  // namespace starbus::bench::mail
