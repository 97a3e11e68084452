/// The cases that bench_nav runs, and the bar of each figure. Bars are multiples of something that
/// is measured in the same repetition if there is such a thing: a heap, or the same ways by another
/// search.
#pragma once

#include "bench/harness/suite.hpp"

namespace starbus::bench::nav {

/// `rounds`: how often each case does its work in one repetition.
std::vector<SuiteCase> make_plan(int rounds);

}  // namespace starbus::bench::nav
