#include "aoi/filter_table.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/limits.hpp"

namespace starbus::aoi {

// A number that nobody uses keeps its filter until it is needed for another one: backends keep its
// bits, so that the filter of the last sensor that left and of the next that comes costs nothing.
std::optional<FilterTable::Acquired> FilterTable::acquire(const Filter& filter) {
  if (filter == Filter{}) return Acquired{};
  std::size_t free = rows_.size();
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].filter == filter) {
      ++rows_[i].uses;
      return Acquired{static_cast<FilterNumber>(i), false};
    }
    if (rows_[i].uses == 0) free = std::min(free, i);
  }
  if (free > kMaxFilters) return std::nullopt;
  if (free == rows_.size()) rows_.emplace_back();
  rows_[free] = {filter, 1};
  return Acquired{static_cast<FilterNumber>(free), true};
}

void FilterTable::release(FilterNumber number) {
  if (number == 0) return;
  assert(rows_[number].uses > 0);
  --rows_[number].uses;
}

}  // namespace starbus::aoi
