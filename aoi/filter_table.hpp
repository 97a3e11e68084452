/// Numbers for the filters that are in use, counted. 0 is the filter that passes everything.
/// Backends keep a bit per number and place, so that a filter costs a scan one AND.
#pragma once

#include <optional>
#include <vector>

#include "aoi/types.hpp"

namespace starbus::aoi {

using FilterNumber = std::uint8_t;

class FilterTable {
 public:
  FilterTable() : rows_(1, Row{Filter{}, 1}) {}

  /// None: kMaxFilters differ already. Each success is paired with a release.
  std::optional<FilterNumber> acquire(const Filter& filter);
  void release(FilterNumber number);

  const Filter& at(FilterNumber number) const { return rows_[number].filter; }
  bool passes(FilterNumber number, std::uint64_t flags) const {
    return rows_[number].filter.passes(flags);
  }
  /// One more than the largest number that was ever used.
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    Filter filter;
    std::uint32_t uses = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace starbus::aoi
