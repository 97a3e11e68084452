// Report: collects what the runs have measured, and answers with medians and ratios.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/figures.hpp"
#include "bench/mail/run.hpp"

namespace starbus::bench::mail {

class Report {
 public:
  explicit Report(std::vector<std::string> systems) : systems_(std::move(systems)) {}

  void add(const Row& row, const std::string& system, int repetition, const Metrics& metrics) {
    figures_.add(row.name, system, repetition, metrics);
  }
  // Medians; std::nullopt if there are none.
  std::optional<double> value(const std::string& row, const std::string& system,
                              const std::string& metric) const {
    return figures_.value(row, system, metric);
  }
  // starbus divided by that.
  std::optional<double> ratio(const std::string& row, const std::string& system,
                              const std::string& metric) const {
    return figures_.ratio(row, "starbus", row, system, metric);
  }
  // Of starbus, divided by that of the other row.
  std::optional<double> ratio_to_row(const std::string& row, const std::string& other,
                                     const std::string& metric) const {
    return figures_.ratio(row, "starbus", other, "starbus", metric);
  }
  std::string table(const std::vector<Row>& rows) const;
  // Flat keys: mail.ROW.METRIC.SYSTEM, and mail.ROW.METRIC.ratio_SYSTEM: starbus divided by that.
  std::string json(const std::vector<Row>& rows, const Metrics& disk) const;

 private:
  std::vector<std::string> systems_;
  Figures figures_;
};

}  // namespace starbus::bench::mail
