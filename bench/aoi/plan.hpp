/// The cases that bench_aoi runs, and the bar of each figure.
///
/// A bar is a multiple of something measured in the same repetition if there is such a thing: the
/// floor (a sweep that finds the same pairs and keeps nothing), or the plain grid in the same
/// workload. Bars given in time were set on a machine with a known floor, and are multiples of it
/// here. Some are given per update of a crowd, for which there is no floor: these are shown as they
/// are, and also at this machine's pace, scaled by the floor of the nearest workload.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/aoi/cases.hpp"

namespace starbus::bench::aoi {

/// One run of a repetition.
struct Case {
  std::string name;  ///< without the name of its workload
  Workload workload;
  std::optional<Setup> setup = {};  ///< empty: the floor
  std::string full_name() const { return workload.name + "." + name; }
};

struct Row {
  enum class Against { nothing, floor, plain };
  std::string name;
  std::string of;  ///< the full name of the case
  double Costs::*shown = &Costs::per_move;
  std::string unit = "ns/move";
  Against against = Against::nothing;
  double Costs::*compared = &Costs::per_move;  ///< divided by the base
  std::string base = {};                       ///< full name of the base case
  std::optional<double> bar = {};              ///< for the quotient; for `shown` against nothing
  std::string paced_by = {};                   ///< full name of a floor, or empty
  double pace = 0;          ///< ns per move of that floor on the machine of the bar
  bool of_machine = false;  ///< the bar measures the machine
};

struct Plan {
  std::vector<Case> cases;
  std::vector<Row> rows;
};

/// Without SIMD, bars of time are twice as high, ratios included. `ticks`: of each run, 0: its own
/// number. `only`: rows whose names begin with it, and the cases they need.
Plan make_plan(bool simd, int ticks, const std::string& only);

}  // namespace starbus::bench::aoi
