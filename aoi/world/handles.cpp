#include "aoi/world/handles.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::aoi {

std::uint32_t Handles::allocate() {
  std::uint32_t index = static_cast<std::uint32_t>(rows_.size());
  if (!ready_.empty()) {
    index = ready_.front();
    ready_.pop_front();
    rows_[index] = static_cast<std::uint16_t>((rows_[index] + 1u) & kGeneration);
  } else if (index > most_) {
    return 0;
  } else {
    rows_.push_back(0);
  }
  rows_[index] |= kValid;
  return value(index);
}

void Handles::free(std::uint32_t index, std::uint64_t update) {
  assert((rows_[index] & kValid) == 0);
  resting_.push_back({index, update + 1 + std::max(1u, quarantine_)});
}

void Handles::advance(std::uint64_t update) {
  while (!resting_.empty() && resting_.front().until <= update) {
    ready_.push_back(resting_.front().index);
    resting_.pop_front();
  }
}

}  // namespace starbus::aoi
