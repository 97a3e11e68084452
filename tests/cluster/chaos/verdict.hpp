/// Judges the account of a chaos run message by message: was each handled exactly once and in
/// order, or is what its sender was told true?
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/cluster/chaos/board.hpp"

namespace starbus::cluster_test {

struct Verdict {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  std::uint64_t doubled = 0;
  std::uint64_t disordered = 0;
  std::uint64_t lost = 0;     // acknowledged and never handled
  std::uint64_t untrue = 0;   // "never handled", and yet handled
  std::uint64_t holes = 0;    // a later message of a dead sender was handled, an earlier was not
  std::uint64_t foreign = 0;  // no message of this run
  std::uint64_t leases_lost = 0;
  std::uint64_t orphans = 0;                      // without an end: their sender was killed
  std::map<std::string, std::uint64_t> failures;  // by name of the error, as senders were told

  std::string to_string() const;
  /// Nothing that the guarantees exclude.
  bool sound() const {
    return doubled + disordered + lost + untrue + holes + foreign + leases_lost == 0;
  }
};

Verdict judge(const Board& board);

}  // namespace starbus::cluster_test
