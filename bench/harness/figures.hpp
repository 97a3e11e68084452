// Figures: what all runs of a benchmark have measured, by case, peer and repetition. Repetitions
// are kept apart, since a quotient is taken within each: what slows the machine down for a while
// slows both of its sides.
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

// The values of one figure in all repetitions.
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
  std::size_t repetitions = 0;
};

class Figures {
 public:
  struct Source {
    std::string of;  // a case
    std::string peer;
    std::string metric;
  };

  void add(const std::string& case_name, const std::string& peer, int repetition,
           const Metrics& metrics) {
    runs_[{case_name, peer}][repetition] = metrics;
  }

  // std::nullopt if no repetition has it.
  std::optional<Spread> spread(const Source& source) const;
  // Quotients of the repetitions that have both, and a divisor above 0.
  std::optional<Spread> spread(const Source& source, const Source& divisor) const;

 private:
  using Runs = std::map<int, Metrics>;
  std::map<int, double> values(const Source& source) const;

  std::map<std::pair<std::string, std::string>, Runs> runs_;  // by case and peer
};

}  // namespace starbus::bench
