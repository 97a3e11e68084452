// Report: collects what the runs have measured, and answers with medians and ratios.
#pragma once

#include "bench/bus/figures.hpp"
#include "bench/mail/run.hpp"

namespace starbus::bench::mail {

class Report {
 public:
  explicit Report(std::vector<std::string> systems) : systems_(std::move(systems)) {}

  void add(const Row& row, const std::string& system, int repetition, const Metrics& metrics) {
    figures_.add(row.name, system, repetition, metrics);
  }
  std::string table(const std::vector<Row>& rows) const;
  // Flat keys: mail.ROW.METRIC.SYSTEM, and mail.ROW.METRIC.ratio_SYSTEM: starbus divided by that.
  std::string json(const std::vector<Row>& rows, const Metrics& disk) const;

 private:
  std::vector<std::string> systems_;
  Figures figures_;
};

}  // namespace starbus::bench::mail
