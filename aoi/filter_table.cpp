#include "aoi/filter_table.hpp"

#include <cassert>

#include "aoi/limits.hpp"

namespace starbus::aoi {

std::optional<FilterNumber> FilterTable::acquire(const Filter& filter) {
  if (filter == Filter{}) return FilterNumber{0};
  std::size_t free = rows_.size();
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].uses == 0) {
      free = std::min(free, i);
    } else if (rows_[i].filter == filter) {
      ++rows_[i].uses;
      return static_cast<FilterNumber>(i);
    }
  }
  if (free > kMaxFilters) return std::nullopt;
  if (free == rows_.size()) rows_.emplace_back();
  rows_[free] = {filter, 1};
  return static_cast<FilterNumber>(free);
}

void FilterTable::release(FilterNumber number) {
  if (number == 0) return;
  assert(rows_[number].uses > 0);
  --rows_[number].uses;
}

}  // namespace starbus::aoi
