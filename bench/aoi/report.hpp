/// The figures of all repetitions, as a table with a bar beside each figure and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/aoi/plan.hpp"

namespace starbus::bench::aoi {

class Report {
 public:
  /// `prefix`: for the names, in the table and in JSON.
  Report(std::vector<Row> rows, std::string prefix)
      : rows_(std::move(rows)), prefix_(std::move(prefix)) {}

  /// In the order of repetitions.
  void add(const std::string& full_name, const Costs& costs) { runs_[full_name].push_back(costs); }

  std::string table() const;
  /// A line per bar: whether it is met, and with which figure.
  std::string verdicts() const;
  std::string json() const;
  /// How many figures are above their bars; those of crowds at this machine's pace.
  std::size_t missed() const;

 private:
  struct Figure {
    double median = 0;
    double best = 0;
    double judged = 0;       ///< compared with the bar: a quotient, or the median
    double judged_best = 0;  ///< of the best
    bool missed = false;
    double paced_bar = 0;  ///< with Row::paced_by
    double pace = 0;       ///< ns per move of that floor here
    bool missed_at_pace = false;
  };
  Figure figure(const Row& row) const;
  double floor_of(const std::string& full_name) const;
  std::string bar_of(const Row& row, const Figure& figure) const;

  std::vector<Row> rows_;
  std::string prefix_;
  std::map<std::string, std::vector<Costs>> runs_;
};

}  // namespace starbus::bench::aoi
