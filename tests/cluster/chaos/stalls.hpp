/// How long channels were silent around what was done to daemons. A sample is a pair (channel,
/// blow): the longest time in which the channel heard nothing from some host whose way to it leads
/// through that daemon. Hosts on other ways, which heard nothing of the blow, would only flatter.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tests/cluster/chaos/board.hpp"
#include "tests/cluster/chaos/chaos_run.hpp"

namespace starbus::cluster_test {

class Stalls {
 public:
  /// Throws if a node had more silences than its account holds.
  Stalls(const Board& board, const std::vector<Blow>& blows);

  std::chrono::milliseconds at(double quantile) const;
  std::chrono::milliseconds worst() const { return at(1.0); }
  std::size_t samples() const { return sorted_.size(); }
  std::string to_string() const;

 private:
  std::vector<std::int64_t> sorted_;  // ns
  std::string details_;               // the longest, for people
};

}  // namespace starbus::cluster_test
