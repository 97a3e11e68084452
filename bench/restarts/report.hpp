// Report: collects the runs and answers with medians: a table for people, JSON for tools, and
// whether the bar of the project holds.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/figures.hpp"
#include "bench/restarts/case.hpp"

namespace starbus::bench::restarts {

// A takeover is an upgrade under way: at the 99th percentile no stream is silent for longer.
constexpr double kLongestTakeoverMs = 300;

class Report {
 public:
  explicit Report(std::vector<std::string> peers) : peers_(std::move(peers)) {}

  void add(const Case& which, const std::string& peer, int repetition, const Metrics& metrics) {
    figures_.add(which.name, peer, repetition, metrics);
  }
  std::string table(const std::vector<Case>& cases) const;
  // Flat keys: restarts.CASE.silence.p50.PEER and so on, milliseconds; restarts.CASE.lost.PEER;
  // ...ratio_nats in the place of PEER: starbus divided by NATS.
  std::string json(const std::vector<Case>& cases) const;
  // One line for each case that misses the bar, or was not measured though it has one.
  std::vector<std::string> missed(const std::vector<Case>& cases) const;

 private:
  std::vector<std::string> peers_;
  Figures figures_;
};

}  // namespace starbus::bench::restarts
