/// The floor that all is measured against: a sweep that finds each pair in range once and keeps
/// nothing. Structure of arrays, cells as large as the radius, a counting sort per sweep, half of
/// the neighbourhood; scalar. Owns its arrays; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/aoi/workload.hpp"

namespace starbus::bench::aoi {

class Floor {
 public:
  Floor(float size, float radius);
  /// Finds the pairs, and returns a sum over their indices.
  std::uint64_t sweep(const std::vector<float>& x, const std::vector<float>& y);
  std::uint64_t pairs() const { return pairs_; }  ///< of all sweeps

 private:
  void found(std::uint32_t a, std::uint32_t b);
  void within(std::uint32_t begin, std::uint32_t end);
  void across(std::uint32_t begin, std::uint32_t end, std::uint32_t other, std::uint32_t other_end);

  float inverse_;
  float limit_;
  std::uint32_t cells_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> cell_of_;
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<std::uint32_t> id_;
  std::uint64_t pairs_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace starbus::bench::aoi
