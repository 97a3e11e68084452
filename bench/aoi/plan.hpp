/// What bench_aoi runs, and what each figure may be.
///
/// A bar is a multiple of something measured in the same repetition, where there is such a thing:
/// of the floor (a sweep that finds the same pairs and keeps nothing), or of the plain grid in the
/// same workload. Bars that are given in time were given for a machine whose floor is known, and
/// are multiples of it here. Some are given per update of a crowd, which no floor sweeps: these
/// stand as they are, and beside them what they come to at this machine's pace: by how much the
/// floor of the nearest workload is slower here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/aoi/cases.hpp"

namespace starbus::bench::aoi {

/// One run of a repetition.
struct Case {
  std::string name;  ///< without that of its workload
  Workload workload;
  std::optional<Setup> setup = {};  ///< none: the floor
  std::string full_name() const { return workload.name + "." + name; }
};

struct Row {
  enum class Against { nothing, floor, plain };
  std::string name;
  std::string of;  ///< the full name of the case
  double Costs::*shown = &Costs::per_move;
  std::string unit = "ns/move";
  Against against = Against::nothing;
  double Costs::*compared = &Costs::per_move;  ///< what is divided by the base
  std::string base = {};                       ///< the full name of the case against which
  std::optional<double> bar = {};              ///< of the quotient; of `shown` against nothing
  std::string paced_by = {};                   ///< the full name of a floor, or none
  double pace = 0;                             ///< ns per move of that floor, where the bar is from
  bool of_machine = false;                     ///< the bar says how fast the machine is
};

struct Plan {
  std::vector<Case> cases;
  std::vector<Row> rows;
};

/// Without SIMD bars of time are twice as high, and ratios, too. `ticks`: of each run, 0: its own
/// number. `only`: rows whose name begins so, and what they need.
Plan make_plan(bool simd, int ticks, const std::string& only);

}  // namespace starbus::bench::aoi
