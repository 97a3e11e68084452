/// How many of those who wait stand before one: numbers that only grow, in a ring of sums (a
/// Fenwick tree), so that each step costs the logarithm of the ring. A plain value: one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/login/core/limits.hpp"

namespace starbus::nodes::login {

class Ranks {
 public:
  /// The numbers that are in it at a time span less than kQueueSpan.
  void add(std::uint64_t number) { change(number, 1); }
  void remove(std::uint64_t number) { change(number, ~std::uint32_t{0}); }
  /// How many from `first`, the least that is in it, and below `number`.
  std::uint32_t between(std::uint64_t first, std::uint64_t number) const {
    const std::size_t from = first % kQueueSpan;
    const std::size_t to = number % kQueueSpan;
    // Sums modulo 2^32: what wraps around wraps back.
    return below(to) - below(from) + (to < from ? below(kQueueSpan) : 0);
  }

 private:
  void change(std::uint64_t number, std::uint32_t by) {
    for (std::size_t at = number % kQueueSpan + 1; at <= kQueueSpan; at += at & (~at + 1)) {
      sums_[at] += by;
    }
  }
  std::uint32_t below(std::size_t at) const {
    std::uint32_t sum = 0;
    for (; at > 0; at -= at & (~at + 1)) sum += sums_[at];
    return sum;
  }

  std::vector<std::uint32_t> sums_ = std::vector<std::uint32_t>(kQueueSpan + 1);
};

}  // namespace starbus::nodes::login
