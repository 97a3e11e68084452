/// Chooses which sensors are evaluated in an update, by their periods and by the world's budget,
/// and evaluates these. Belongs to the world's thread. Owns its scratch memory, and with a budget a
/// position per sensor; fails only by running out of memory.
#pragma once

#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/world.hpp"
#include "aoi/world/tables.hpp"

namespace starbus::aoi {

class Schedule {
 public:
  Schedule(Tables& tables, Index& index) : tables_(tables), index_(index) {}

  /// A sensor was added: it has not moved since it was evaluated last.
  void add(SensorIndex sensor);
  /// False: the next update might find more than `most` changes (kMaxChanges), and must not begin.
  bool is_countable(std::uint64_t most = kMaxChanges);
  /// Pair tests that symmetric lists may use in this update; 0: no bound.
  std::uint64_t tests_for_lists() const;
  /// Evaluates the sensors whose turn it is. `spent`: pair tests of the budget that are used
  /// already. Counts sensors that were put off in the report.
  void evaluate(Delta& delta, std::uint64_t spent, UpdateReport& report);

 private:
  struct Urgent {
    float urgency;
    Dirty dirty;
  };
  std::uint64_t tests_of_budget() const;
  bool has_budget() const {
    const Budget& budget = tables_.options.budget;
    return budget.pair_tests != 0 || budget.microseconds != 0;
  }
  const std::vector<std::uint8_t>* choose(std::uint64_t spent, UpdateReport& report);
  void skip_by_period();
  void skip_by_budget(std::uint64_t spent, UpdateReport& report);
  void find_urgent();
  float urgency_of(SensorIndex sensor) const;
  void evaluate_timed(Delta& delta, const std::vector<std::uint8_t>* skip);

  Tables& tables_;
  Index& index_;
  double seconds_per_test_ = 0;           ///< of the last update, with Budget::microseconds
  std::vector<std::uint8_t> skip_;        ///< by sensor
  std::vector<Position> evaluated_from_;  ///< by sensor, with a budget
  std::vector<Dirty> dirty_;
  std::vector<Urgent> urgent_;
};

}  // namespace starbus::aoi
