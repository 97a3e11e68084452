// Figures: what all runs of a benchmark have measured, by case, peer and repetition; answers with
// medians. A repetition's ratio needs both peers, so repetitions are kept apart.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace starbus::bench {

using Metrics = std::map<std::string, double>;

// std::nullopt if there are none.
std::optional<double> median(std::vector<double> values);
// `part` of the values are below it; 0 if there are none.
double quantile(std::vector<double> values, double part);

class Figures {
 public:
  void add(const std::string& case_name, const std::string& peer, int repetition,
           const Metrics& metrics) {
    runs_[case_name][peer][repetition] = metrics;
  }

  // The median over repetitions.
  std::optional<double> value(const std::string& case_name, const std::string& peer,
                              const std::string& metric) const;
  // The median over repetitions of (case, peer) divided by (base case, base peer): what slows the
  // machine down for a while slows both of a repetition.
  std::optional<double> ratio(const std::string& case_name, const std::string& peer,
                              const std::string& base_case, const std::string& base_peer,
                              const std::string& metric) const;

 private:
  const std::map<int, Metrics>* find(const std::string& case_name, const std::string& peer) const;

  std::map<std::string, std::map<std::string, std::map<int, Metrics>>> runs_;
};

}  // namespace starbus::bench
