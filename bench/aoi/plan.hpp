/// The cases that bench_aoi runs, and the bar of each figure.
///
/// A bar is a multiple of something measured in the same repetition if there is such a thing: the
/// floor (a sweep that finds the same pairs and keeps nothing), or the plain grid in the same
/// workload. Bars given in time were set on a machine with a known floor, and are multiples of it
/// here. Some are given per update of a crowd, for which there is no floor: these are shown as they
/// are, and also at this machine's pace, scaled by the floor of the nearest workload.
#pragma once

#include "bench/harness/suite.hpp"

namespace starbus::bench::aoi {

/// Without SIMD, bars of time are twice as high, ratios included. `ticks`: of each run, 0: its own
/// number.
std::vector<SuiteCase> make_plan(bool simd, int ticks);

}  // namespace starbus::bench::aoi
