/// The box around the positions in some blocks: one test of it may spare the tests of all of them.
/// It is as exact as these, because float subtraction, products and sums keep an order. A plain
/// value.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "aoi/index/kernels.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

struct Extent {
  enum class Seen : std::uint8_t { none, some, all };

  // Infinite: not known.
  float min_x = -std::numeric_limits<float>::infinity();
  float max_x = std::numeric_limits<float>::infinity();
  float min_y = min_x;
  float max_y = max_x;

  /// The box around all places that are not free; empty if there is none.
  static Extent of(std::span<const Block> blocks);

  /// For a query without heights. all: all entities enter. none: none of them stays either.
  Seen seen_by(const Query& query, Metric metric) const {
    const float left = min_x - query.x;
    const float right = max_x - query.x;
    const float below = min_y - query.y;
    const float above = max_y - query.y;
    if (measure(metric, std::max(-left, right), std::max(-below, above)) <= query.enter_limit) {
      return Seen::all;
    }
    const float across = std::max(0.0F, std::max(left, -right));
    const float along = std::max(0.0F, std::max(below, -above));
    return measure(metric, across, along) > query.stay_limit ? Seen::none : Seen::some;
  }
};

}  // namespace starbus::aoi
