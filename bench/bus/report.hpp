// Report: collects the runs and answers with medians: a table for people, JSON for tools.
#pragma once

#include <string>
#include <vector>

#include "bench/bus/cases.hpp"
#include "bench/harness/figures.hpp"

namespace starbus::bench {

class Report {
 public:
  // `base`: the peer that starbus is compared with.
  explicit Report(std::string base) : base_(std::move(base)) {}

  void add(const std::string& case_name, const std::string& peer, int repetition,
           const Metrics& metrics) {
    figures_.add(case_name, peer, repetition, metrics);
  }

  std::string table(const std::vector<Case>& cases, const std::vector<std::string>& peers) const;

  // Flat keys: bus.CASE.PEER and bus.CASE.ratio_nats for throughput, bus.CASE.p50.PEER,
  // bus.CASE.p99.PEER ... for latency, bus.CASE.cpu.PEER for both. A ratio is starbus divided by
  // NATS: above 1 is better for throughput, below 1 for latency and CPU. A case with a baseline has
  // bus.CASE.p99.ratio_undisturbed.PEER too.
  std::string json(const std::vector<Case>& cases, const std::vector<std::string>& peers) const;

 private:
  // The metrics that a case of this shape reports; "rate" is the messages per second.
  static std::vector<std::string> metrics_of(const Case& which);

  std::string base_;
  Figures figures_;
};

}  // namespace starbus::bench
