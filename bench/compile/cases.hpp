// What is measured: the three files of a player, an edit in the project of the template `starter`,
// and many classes.
#pragma once

#include <vector>

#include "bench/compile/package.hpp"
#include "bench/harness/suite.hpp"

namespace starbus::bench::compile {

struct Options {
  int classes = 200;
};

// `package` outlives them.
std::vector<SuiteCase> cases_of(const Options& options, Package& package);

}  // namespace starbus::bench::compile
