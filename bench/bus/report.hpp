// Report: collects the runs and answers with medians: a table for people, JSON for tools.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/bus/driver.hpp"

namespace starbus::bench {

class Report {
 public:
  // `base`: the peer that starbus is compared with.
  explicit Report(std::string base) : base_(std::move(base)) {}

  // A repetition's ratio needs both peers, so runs are kept by repetition.
  void add(const std::string& case_name, const std::string& peer, int repetition,
           const Metrics& metrics);

  std::string table(const std::vector<Case>& cases, const std::vector<std::string>& peers) const;

  // Flat keys: bus.CASE.PEER and bus.CASE.ratio_nats for throughput, bus.CASE.p50.PEER,
  // bus.CASE.p99.PEER ... for latency, bus.CASE.cpu.PEER for both. A ratio is starbus divided by
  // NATS: above 1 is better for throughput, below 1 for latency and CPU. A case with a baseline has
  // bus.CASE.p99.ratio_undisturbed.PEER too.
  std::string json(const std::vector<Case>& cases, const std::vector<std::string>& peers) const;

 private:
  // The metrics that a case of this shape reports; "rate" is the messages per second.
  static std::vector<std::string> metrics_of(const Case& which);
  const std::map<int, Metrics>* find_runs(const std::string& case_name,
                                          const std::string& peer) const;
  std::optional<double> value(const std::string& case_name, const std::string& peer,
                              const std::string& metric) const;
  // The median over repetitions of (case, peer) divided by (base case, base peer).
  std::optional<double> ratio(const std::string& case_name, const std::string& peer,
                              const std::string& base_case, const std::string& base_peer,
                              const std::string& metric) const;

  std::string base_;
  std::map<std::string, std::map<std::string, std::map<int, Metrics>>> runs_;
};

std::optional<double> median(std::vector<double> values);

}  // namespace starbus::bench
