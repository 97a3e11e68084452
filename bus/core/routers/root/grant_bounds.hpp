/// How many epochs each term of busroot may have granted: what a row of an earlier term is measured
/// by, because this busroot has not granted it.
///
/// Numbers are reserved in steps before they are granted, and the shell keeps the reservation, so a
/// number beyond the last one of its term was never granted. Part of RootRouter: same thread.
#pragma once

#include <cstdint>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// No epoch of `term` has a number above `most`.
struct GrantBound {
  std::uint64_t term = 0;
  std::uint64_t most = 0;
  friend bool operator==(const GrantBound&, const GrantBound&) = default;
};

class GrantBounds {
 public:
  /// One write to the disk for so many grants.
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  /// Names of so many restarts ago are measured.
  static constexpr std::size_t kTerms = 64;

  /// `earlier`: what the shell has kept, by term.
  GrantBounds(std::uint64_t term, std::vector<GrantBound> earlier);

  /// All terms that are to be kept, with this one up to `most`.
  std::vector<GrantBound> with(std::uint64_t most) const;
  /// `with(most)` is on the disk.
  void reserved(std::uint64_t most) { most_ = most; }
  std::uint64_t most() const { return most_; }
  /// Whether an epoch of an earlier term can have been granted. True for a term before the first
  /// that was kept.
  bool plausible(Epoch epoch) const;

 private:
  std::uint64_t term_;
  std::vector<GrantBound> earlier_;
  std::uint64_t most_ = 0;
};

}  // namespace starbus::bus
