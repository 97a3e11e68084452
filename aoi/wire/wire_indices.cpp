#include "aoi/wire/wire_indices.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "aoi/limits.hpp"

namespace starbus::aoi {

std::uint16_t WireIndices::take(std::uint64_t update) {
  while (!resting_.empty() && resting_.front().until <= update) {
    free_.push_back(resting_.front().index);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
    resting_.pop_front();
  }
  if (!free_.empty()) {
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const std::uint16_t index = free_.back();
    free_.pop_back();
    return index;
  }
  return next_ > kMaxWireIndex ? std::uint16_t{0} : static_cast<std::uint16_t>(next_++);
}

void WireIndices::give_back(std::uint16_t index, std::uint64_t update, std::uint32_t quarantine) {
  assert(index < next_);
  if (index != 0) resting_.push_back({index, update + 1 + quarantine});
}

}  // namespace starbus::aoi
