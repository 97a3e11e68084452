// Report: collects what the runs have measured, and answers with medians and ratios.
#pragma once

#include "bench/mail/run.hpp"

namespace starbus::bench::mail {

class Report {
 public:
  explicit Report(std::vector<std::string> systems) : systems_(std::move(systems)) {}

  void add(const Row& row, const std::string& system, int repetition, const Metrics& metrics) {
    runs_[row.name][system][repetition] = metrics;
  }
  std::string table(const std::vector<Row>& rows) const;
  // Flat keys: mail.ROW.METRIC.SYSTEM, and mail.ROW.METRIC.ratio_SYSTEM: starbus divided by that.
  std::string json(const std::vector<Row>& rows, const Metrics& disk) const;

 private:
  std::optional<double> value(const Row& row, const std::string& metric,
                              const std::string& system) const;
  // The median of the repetitions' ratios: what slows the machine down slows both.
  std::optional<double> ratio(const Row& row, const std::string& metric,
                              const std::string& base) const;
  const std::map<int, Metrics>* runs(const Row& row, const std::string& system) const;

  std::vector<std::string> systems_;
  std::map<std::string, std::map<std::string, std::map<int, Metrics>>> runs_;
};

}  // namespace starbus::bench::mail
